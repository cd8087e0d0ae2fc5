import type { Row } from './rows.ts';

/** What the agent did between two messages. */
export interface Step {
  /** In words: `Read 6 files, ran 3 commands`. */
  summary: string;
  durationMs: number;
  costUsd: number;
  failed: number;
  isRunning: boolean;
}

/** What a tool does, as a verb with its object; `what` returns the object of a number of calls. */
interface Verb {
  done: string;
  what: (count: number) => string;
}

const plural = (one: string, many: string) => (count: number) => `${count} ${count === 1 ? one : many}`;
const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

const verbs = {
  read: { done: 'read', what: plural('file', 'files') },
  search: { done: 'searched', what: times },
  run: { done: 'ran', what: plural('command', 'commands') },
  edit: { done: 'edited', what: plural('file', 'files') },
  browse: { done: 'used the browser', what: times },
  plan: { done: 'planned', what: times },
  ask: { done: 'asked', what: times },
  use: { done: 'used', what: plural('other tool', 'other tools') },
} satisfies Record<string, Verb>;

const verbOfTool: Record<string, keyof typeof verbs> = {
  read: 'read',
  search: 'search',
  grep: 'search',
  glob: 'search',
  find: 'search',
  list: 'search',
  fetch: 'read',
  shell: 'run',
  bash: 'run',
  execute: 'run',
  set_check: 'run',
  edit: 'edit',
  write: 'edit',
  delete: 'edit',
  move: 'edit',
  plan: 'plan',
  submit_plan: 'plan',
  ask: 'ask',
};

/** Returns what a tool does, by its name. */
export function verbOf(tool: string): keyof typeof verbs {
  const name = tool.toLowerCase();
  return verbOfTool[name] ?? (name.startsWith('browser') ? 'browse' : 'use');
}

/** Returns the line that stands for rows of work. */
export function stepOf(rows: readonly Row[], costUsd: number): Step {
  const objects = new Map<keyof typeof verbs, Set<string>>();
  let failed = 0;
  let endedAt = 0;
  let isRunning = false;
  for (const row of rows) {
    const verb = row.kind === 'call' ? verbOf(row.is.call?.name ?? '') : row.kind === 'command' ? 'run' : undefined;
    if (verb !== undefined) objects.set(verb, (objects.get(verb) ?? new Set()).add(objectOf(row, verb)));
    if (hasFailed(row)) failed += 1;
    isRunning ||= row.kind === 'call' && row.is.result === undefined;
    endedAt = Math.max(endedAt, endOf(row));
  }
  const parts = [...objects].map(([verb, names]) => `${verbs[verb].done} ${verbs[verb].what(names.size)}`);
  const summary = parts.join(', ');
  const durationMs = Math.max(0, endedAt - Date.parse(rows[0]?.at ?? ''));
  return { summary: summary.slice(0, 1).toUpperCase() + summary.slice(1), durationMs, costUsd, failed, isRunning };
}

/** Files are counted once, everything else as often as it was done. */
function objectOf(row: Row, verb: string): string {
  if (row.kind !== 'call' || (verb !== 'read' && verb !== 'edit')) return row.key;
  const { path, file_path: filePath }: Partial<Record<string, unknown>> = row.is.call?.input ?? {};
  return typeof path === 'string' ? path : typeof filePath === 'string' ? filePath : row.key;
}

function hasFailed(row: Row): boolean {
  if (row.kind === 'call') return row.is.result?.ok === false;
  return row.kind === 'command' && (row.is.command?.exit_code ?? 0) !== 0;
}

function endOf(row: Row): number {
  const end = row.kind === 'call' || row.kind === 'thought' ? row.is.endedAt : '';
  const took = row.kind === 'command' ? (row.is.command?.duration_ms ?? 0) : 0;
  return Date.parse(end === '' ? row.at : end) + took;
}
