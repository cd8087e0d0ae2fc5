import { randomBytes } from 'node:crypto';
import { parseFaults, type Fault } from './faults.ts';
import { isObject, list, number, object, parse, string, type JsonObject } from './json.ts';
import { TextError, type Turn } from './conversation.ts';

/** The reported usage in tokens. `input` includes `cached`; `output` includes reasoning. */
export interface Usage {
  input?: number;
  output?: number;
  cached?: number;
}

/** One tool call, mapped to a tool that the request offers; `call` names the tool directly. */
export type Call =
  /** The timeout is passed on unchanged, in the tool's unit. */
  | { run: string; timeout?: number }
  | { write: { path: string; content: string } }
  | { read: string }
  | { edit: { path: string; old: string; new: string } }
  | { search: string }
  | { plan: { content: string; status: 'pending' | 'in_progress' | 'completed' }[] }
  | { ask: string }
  | { call: { name: string; input: Record<string, unknown> } };

interface StepOptions {
  /** Reasoning before the answer. */
  think?: string;
  /** Text before the tool call. */
  text?: string;
  usage?: Usage;
  /** Faults before the step is played, in the order of the list. */
  fault?: Fault | Fault[];
  /** Milliseconds before the response begins. */
  delay?: number;
  /** Milliseconds after each delta of a text. */
  token_delay?: number;
}

/** One turn of the model. `say` and `tokens` end the agent's turn; everything else calls tools. */
export type Step = StepOptions &
  (
    | { say: string }
    /** A text of this many words, one per delta; with `stamp` each is `<n>@<process.hrtime() in nanoseconds>`. */
    | { tokens: number; stamp?: boolean }
    | { parallel: Call[] }
    | Call
  );

/** A parsed step: either a text, or calls that are still to be mapped to tools. */
export interface PlannedStep {
  say: string | undefined;
  tokens: number | undefined;
  stamp: boolean;
  calls: JsonObject[];
  think: string;
  text: string;
  usage: Usage;
  faults: Fault[];
  delayMs: number;
  tokenDelayMs: number;
}

/** A script and the conversation's position in it. */
export interface Position {
  id: string;
  step: number;
  planned: PlannedStep;
  /** The script's block, for summaries of the conversation; it continues at `step`. */
  block: string;
}

const actions = ['run', 'write', 'read', 'edit', 'search', 'plan', 'ask', 'call'] as const;
const fence = /```script\s*\n([\s\S]*?)\n\s*```/g;

/**
 * Returns a block that makes the scripted model play `steps`, one per answer, and then say `say` ("Done."). The id is
 * random by default; it must be unique among the scripts of one server, which counts faults by it.
 */
export function script(steps: Step[], options: { id?: string; say?: string } = {}): string {
  const { id = randomBytes(6).toString('hex'), say } = options;
  return writeBlock({ id, steps, say });
}

/** Returns the script in the last user message that has one, and the current step; undefined without a script. */
export function findPosition(turns: Turn[]): Position | undefined {
  const at = turns.findLastIndex((turn) => turn.role === 'user' && turn.text.match(fence) !== null);
  const sources = [...(turns[at]?.text ?? '').matchAll(fence)].map(([, block = '']) => block);
  const source = sources.at(-1);
  if (source === undefined) return undefined;
  const body = parse(source);
  if (!isObject(body)) throw new TextError(`The script must be a JSON object: ${source.slice(0, 200)}`);
  const id = string(body['id']);
  if (!/^[\w-]{1,40}$/.test(id) || id.includes('_')) {
    throw new TextError(`The script's id must have 1 to 40 letters, digits and hyphens, not ${JSON.stringify(id)}`);
  }
  if (!Array.isArray(body['steps'])) throw new TextError('The script must have a list "steps"');
  const step = stepAfter(turns.slice(at + 1), id, Math.max(...sources.map((block) => startOf(block, id))));
  const next = list(body['steps'])[step] ?? { say: body['say'] ?? 'Done.' };
  return { id, step, planned: planStep(next, step), block: writeBlock({ ...body, from: step }) };
}

/** Returns the step at which a block continues the script: a summary repeats the block with it. */
function startOf(source: string, id: string): number {
  const block = object(parse(source));
  return block['id'] === id ? (number(block['from']) ?? 0) : 0;
}

/**
 * Returns the step after the last answer; each answer was one step. Ids from this server contain their step, so a
 * conversation without its beginning still works; an answer without ids counts as the next one.
 */
function stepAfter(turns: Turn[], id: string, from: number): number {
  let step = from;
  for (const turn of turns) {
    if (turn.role === 'user') continue;
    const marked = turn.marks.flatMap((mark) => markedStep(mark, id) ?? []);
    if (marked.length > 0) step = Math.max(step, ...marked.map((played) => played + 1));
    else if (turn.text !== '' || turn.calls.length > 0) step += 1;
  }
  return step;
}

/** Parses an id: `<prefix>_<script>_<step>`, and for calls `_<n>` after it. */
function markedStep(mark: string, id: string): number | undefined {
  const [, scriptId, step] = mark.split('_');
  return scriptId === id && step !== undefined && /^\d+$/.test(step) ? Number(step) : undefined;
}

function planStep(source: unknown, index: number): PlannedStep {
  const step = object(source);
  const calls = Array.isArray(step['parallel']) ? list(step['parallel']).map((call) => object(call)) : [step];
  const tokens = number(step['tokens']);
  const isText = typeof step['say'] === 'string' || tokens !== undefined;
  const unknown = isText ? undefined : calls.find((call) => !actions.some((action) => action in call));
  if (unknown !== undefined || (!isText && calls.length === 0)) {
    throw new TextError(`Step ${index} of the script has no known action: ${JSON.stringify(source)}`);
  }
  const usage = object(step['usage']);
  return {
    say: typeof step['say'] === 'string' ? step['say'] : undefined,
    tokens,
    stamp: step['stamp'] === true,
    calls: isText ? [] : calls,
    think: string(step['think']),
    text: string(step['text']),
    usage: { input: number(usage['input']), output: number(usage['output']), cached: number(usage['cached']) },
    faults: parseFaults(step['fault'], index),
    delayMs: number(step['delay']) ?? 0,
    tokenDelayMs: number(step['token_delay']) ?? 0,
  };
}

/** Writes the block on one line, so that nothing in it can close the fence. */
function writeBlock(body: JsonObject): string {
  return `\`\`\`script\n${JSON.stringify(body)}\n\`\`\``;
}
