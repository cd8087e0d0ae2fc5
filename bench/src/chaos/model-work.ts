import { createHash } from 'node:crypto';
import { script, type Step } from '@guildhall/scripted-model';
import { createRandom, type Random } from './random.ts';
import { contentOf, effectsPath, messagesOf, stepPath, verifyCommandOf, type Work } from './work.ts';

/** Models with three wire formats; one scripted server plays them all. */
const models = ['openai/scripted', 'anthropic/claude-sonnet-5', 'google/gemini-3.8-flash'] as const;
/** Steps for repairs; a session's check sends the agent back at most twice. */
const repairs = 6;

/**
 * Creates work for the built-in agent: the model plays the script in the prompt, which runs, writes, edits and reads.
 */
export function modelWork(seed: number, number: number): Work {
  const random = createRandom(seed, number);
  const count = random.integer(6, 12);
  const names = Array.from({ length: count }, (_, index) => String(index + 1).padStart(2, '0'));
  const files = new Map(names.map((name) => [stepPath(name), contentOf(number, name, random)]));
  const written = names.flatMap((name) => stepsFor(name, files.get(stepPath(name)) ?? '', random));
  files.set('work/done', 'done\n');
  const repair = { run: repairScript(files), delay: 200 };
  const steps: Step[] = [
    ...written,
    { run: 'echo done > work/done' },
    { say: 'All steps are done.', token_delay: 20 },
    // The repairs of a model that is told that something is missing. Without a reason they are never requested.
    ...Array.from({ length: repairs }, () => [
      repair,
      { say: 'Checked it again, and created what was missing.' },
    ]).flat(),
  ];
  return {
    number,
    runtime: 'builtin',
    agent: { name: `chaos ${number}`, runtime: 'builtin', model: random.pick(models) },
    prompt: `Do work ${number}.\n\n${script(steps, { id: `work-${number}` })}`,
    verifyCommand: verifyCommandOf(files),
    messages: messagesOf(number, count, random),
    files,
    steps: names,
  };
}

/** Creates one file with a random tool. Shell commands also log themselves. */
function stepsFor(name: string, content: string, random: Random): Step[] {
  const path = stepPath(name);
  const model = {
    delay: random.integer(200, 2_500),
    ...(random.chance(0.3) ? { text: wordsOf(random.integer(10, 40)), token_delay: random.integer(10, 60) } : {}),
    ...(random.chance(0.05) ? { fault: { status: 503 } } : random.chance(0.05) ? { fault: { cut: 2 } } : {}),
  };
  switch (random.pick(['run', 'run', 'write', 'edit'] as const)) {
    case 'run':
      return [{ run: shellStep(name, content, random), ...model }];
    case 'write':
      return [{ write: { path, content }, ...model }, ...(random.chance(0.5) ? [{ read: path }] : [])];
    case 'edit':
      return [
        { write: { path, content: `to be replaced in step ${name}\n` }, ...model },
        { edit: { path, old: `to be replaced in step ${name}\n`, new: content }, delay: random.integer(100, 1_000) },
      ];
  }
}

function shellStep(name: string, content: string, random: Random): string {
  const [before, after] = [random.between(0.1, 2), random.between(0.1, 2)].map((seconds) => seconds.toFixed(2));
  return [
    'mkdir -p work',
    `sleep ${before}`,
    `echo "${name}" >> ${effectsPath}`,
    `printf '%s' '${content}' > ${stepPath(name)}`,
    `sleep ${after}`,
  ].join('\n');
}

function repairScript(files: ReadonlyMap<string, string>): string {
  const lines = [...files].map(([path, content]) => {
    const hash = createHash('sha256').update(content).digest('hex');
    return `echo '${hash}  ${path}' | sha256sum -c --status 2>/dev/null || printf '%s' '${content}' > ${path}`;
  });
  return ['mkdir -p work', ...lines].join('\n');
}

function wordsOf(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index + 1}`).join(' ');
}
