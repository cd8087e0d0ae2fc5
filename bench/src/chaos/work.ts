import { createHash } from 'node:crypto';
import type { components } from '@guildhall/client';
import { createRandom, type Random } from './random.ts';

/** A message to a session after the client saw the end of `afterResults` commands or tool calls. */
export interface PlannedMessage {
  afterResults: number;
  content: string;
  delivery: 'steer' | 'queue';
}

/** The work of a session, and so its expected result. */
export interface Work {
  /** From 1; sessions with the same seed and number do the same. */
  number: number;
  runtime: 'script' | 'builtin';
  agent: components['schemas']['CreateAgentRequest'];
  prompt: string;
  verifyCommand: string;
  messages: PlannedMessage[];
  /** Paths with their final content, besides the project's own files. */
  files: ReadonlyMap<string, string>;
  /** Names of the steps that log themselves in {@link effectsPath}, in order. */
  steps: readonly string[];
}

/** Every step appends its name to this file, which shows what ran again after a loss. */
export const effectsPath = 'work/effects.log';
/** The prompt of a turn, stored by a script's first step. */
export const promptPath = (turn: number): string => `work/prompt-${turn}.md`;

/** The project that every session starts from: its check fails until the last step is done. */
export const projectFiles: ReadonlyMap<string, string> = new Map([
  ['README.md', '# Chaos\n\nWhat sessions leave here is known in advance.\n'],
  ['check.sh', 'sleep 0.7\ntest -f work/done\n'],
]);
/** Returns a command that passes if all files are as planned. */
export function verifyCommandOf(files: ReadonlyMap<string, string>): string {
  const steps = [...files].filter(([path]) => path.startsWith('work/step-')).map(([, content]) => content);
  const hash = createHash('sha256').update(steps.join('')).digest('hex');
  return `sh check.sh && cat work/step-*.txt | sha256sum | grep -q ${hash}`;
}

/**
 * Creates work for the runtime `script`: shell steps of a few seconds, each of which creates a file with known content.
 */
export function scriptWork(seed: number, number: number): Work {
  const random = createRandom(seed, number);
  const count = random.integer(8, 15);
  const names = Array.from({ length: count }, (_, index) => String(index + 1).padStart(2, '0'));
  const files = new Map(names.map((name) => [stepPath(name), contentOf(number, name, random)]));
  const steps = names.map((name, index) => ({ run: scriptStep(name, files.get(stepPath(name)) ?? '', index, random) }));
  files.set('work/done', 'done\n');
  const last = { run: `${turnOf}; mkdir -p work; echo "$turn.done" >> ${effectsPath}; echo done > work/done` };
  return {
    number,
    runtime: 'script',
    agent: {
      name: `chaos ${number}`,
      runtime: 'script',
      runtime_config: { steps: [...steps, last], summary: `Did the ${count} steps of work ${number}.` },
    },
    prompt: `Do work ${number}: its ${count} steps.`,
    verifyCommand: verifyCommandOf(files),
    messages: messagesOf(number, count, random),
    files,
    steps: [...names, 'done'],
  };
}

const turnOf = 'turn=${GUILDHALL_PROMPT_FILE##*-}; turn=${turn%.md}';

export const stepPath = (name: string): string => `work/step-${name}.txt`;

function scriptStep(name: string, content: string, index: number, random: Random): string {
  // Waits before and after its work, so that a kill may hit it half done.
  const before = random.between(0.2, 2.5).toFixed(2);
  const after = random.chance(0.1) ? random.between(5, 7).toFixed(2) : random.between(0.2, 2.5).toFixed(2);
  return [
    turnOf,
    'mkdir -p work',
    ...(index === 0 ? ['cp "$GUILDHALL_PROMPT_FILE" work/prompt-$turn.md'] : []),
    `sleep ${before}`,
    `echo "$turn.${name}" >> ${effectsPath}`,
    `printf '%s' '${content}' > ${stepPath(name)}`,
    `sleep ${after}`,
    `echo "step ${name} is done"`,
  ].join('\n');
}

/** Returns some lines that no other step of any session has. */
export function contentOf(number: number, step: string, random: Random): string {
  const lines = Array.from({ length: random.integer(1, 20) }, () => random.integer(0, 2 ** 31 - 1).toString(16));
  return `work ${number}, step ${step}\n${lines.join('\n')}\n`;
}

/** Plans messages: some sessions get one or two while they run; in the order of their moments. */
export function messagesOf(number: number, steps: number, random: Random): PlannedMessage[] {
  const count = random.chance(0.3) ? random.integer(1, 2) : 0;
  const moments = Array.from({ length: count }, () => random.integer(1, steps)).sort((a, b) => a - b);
  return moments.map((afterResults, index) => ({
    afterResults,
    content: `Message ${index + 1} to work ${number}: ${random.integer(0, 2 ** 31 - 1).toString(16)}`,
    delivery: random.chance(0.5) ? 'steer' : 'queue',
  }));
}
