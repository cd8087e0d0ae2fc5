import { count, type Aftermath, type Check } from './check.ts';
import type { Delivered } from './check-delivery.ts';
import type { Followed } from './session.ts';
import { effectsPath, promptPath } from './work.ts';

/** Checks that every session completed with a proven fix, and none was given up after lost workers. */
export function checkEnds({ sessions }: Aftermath, delivered: readonly Delivered[]): Check {
  const violations = [
    ...sessions
      .filter(({ status }) => status !== 'completed')
      .map(({ id, status }) => `${id} is ${status || 'still running'}`),
    ...delivered
      .filter(({ record }) => record.verification !== 'fixed')
      .map(({ record }) => `${record.id} is ${record.status}, but its verification says "${record.verification}"`),
    ...sessions.flatMap(({ id, refused }) => refused.map((refusal) => `${id} refused ${refusal}`)),
  ];
  return {
    what: 'sessions that did not complete with a proven fix',
    figure: `${violations.length} of ${sessions.length}`,
    violations,
  };
}

interface MessageRow {
  id: string;
  session_id: string;
  content: string;
  state: string;
  turn: number;
}

/** Checks that each acknowledged message was delivered once: in the log, in its record, and to the agent. */
export async function checkMessages(aftermath: Aftermath, delivered: readonly Delivered[]): Promise<Check> {
  const { installation, sessions, logs } = aftermath;
  const { rows } = await installation.postgres.db.pool.query<MessageRow>(
    `select id, session_id, content, state, round from session_messages where role = 'user'`,
  );
  const violations: string[] = [];
  for (const session of sessions) {
    const own = rows.filter(({ session_id: id }) => id === session.id);
    const told = [session.work.prompt, ...session.acknowledged.map(({ content }) => content)];
    const events = (logs.get(session.id) ?? []).flatMap((event) =>
      event.kind === 'message' && event.data.role === 'user' && event.data.state === 'queued' ? [event.data] : [],
    );
    if (own.length !== told.length || events.length !== told.length)
      violations.push(`${session.id}: ${told.length} said, ${own.length} on record, ${events.length} in the log`);
    for (const { id, content } of session.acknowledged) {
      const row = own.find((one) => one.id === id);
      if (row?.content !== content || row.state !== 'delivered')
        violations.push(`${session.id}: ${id} is ${row?.state ?? 'missing'}`);
    }
    violations.push(...undelivered(session, delivered));
  }
  const said = sessions.reduce((sum, session) => sum + session.acknowledged.length, 0);
  return {
    what: 'acknowledged messages not delivered exactly once',
    figure: `${violations.length} of ${said}`,
    violations,
  };
}

/** Returns undelivered messages: a script keeps the prompt of each turn, and every message must be in one of them. */
function undelivered(session: Followed, delivered: readonly Delivered[]): string[] {
  if (session.work.runtime !== 'script') return [];
  const found = delivered.find((one) => one.session === session);
  if (found === undefined) return [];
  const prompts = [...found.texts].filter(([path]) => path !== effectsPath).map(([, text]) => text);
  return [session.work.prompt, ...session.acknowledged.map(({ content }) => content)].flatMap((content) => {
    const times = prompts.filter((prompt) => prompt.split('\n\n').includes(content)).length;
    return times === 1 ? [] : [`${session.id}: "${content}" came to the agent ${times} times`];
  });
}

/** Repetitions of work: steps may run again after a loss, but none may be skipped. */
export interface Repeats {
  check: Check;
  /** Number of steps that ran, over all sessions. */
  steps: number;
  /** Of these, those whose effect was already in a checkpoint. */
  effects: number;
  /** Of these, those whose result a client had already been shown. */
  results: number;
}

/** Checks that every step of each turn ran, in the order of its first run; scripts log each step in their work tree. */
export function checkSteps({ logs }: Aftermath, delivered: readonly Delivered[]): Repeats {
  const scripts = delivered.filter(({ session }) => session.work.runtime === 'script');
  const violations: string[] = [];
  let steps = 0;
  let effects = 0;
  let results = 0;
  for (const { session, texts } of scripts) {
    const lines = (texts.get(effectsPath) ?? '').split('\n').filter(Boolean);
    let turns = 1;
    while (texts.has(promptPath(turns + 1))) turns += 1;
    const expected = Array.from({ length: turns }, (_, turn) =>
      session.work.steps.map((name) => `${turn + 1}.${name}`),
    ).flat();
    if ([...new Set(lines)].join(' ') !== expected.join(' '))
      violations.push(`${session.id}: the steps were ${lines.join(' ')} instead of ${expected.join(' ')}`);
    steps += expected.length;
    effects += lines.length - new Set(lines).size;
    const repeated = repeatsOf(session, logs.get(session.id) ?? []);
    results += repeated.results;
    if (repeated.longest > mostRepeated)
      violations.push(`${session.id}: ${repeated.longest} finished steps in a row were done again`);
  }
  const figure = `${violations.length} of ${count(scripts.length, 'script')}`;
  return {
    check: { what: 'scripts with a skipped step, or with a finished one repeated', figure, violations },
    steps,
    effects,
    results,
  };
}

type Log = NonNullable<ReturnType<Aftermath['logs']['get']>>;

/** The newest step may not be in a checkpoint yet, nor the one before it if the database was down. */
const mostRepeated = 3;

/** Returns how many finished steps ran again, and how far a script went back at most. */
function repeatsOf({ work }: Followed, log: Log): { results: number; longest: number } {
  const done = log.flatMap((event) =>
    event.kind === 'command' && event.phase === 'implement' && event.data.exit_code === 0
      ? [{ turn: event.turn, step: work.steps.findIndex((name) => event.data.command.includes(`$turn.${name}"`)) }]
      : [],
  );
  const newest = new Map<number, number>();
  let results = 0;
  let longest = 0;
  for (const { turn, step } of done) {
    const before = newest.get(turn) ?? -1;
    if (step <= before) results += 1;
    longest = Math.max(longest, before - step + 1);
    newest.set(turn, Math.max(before, step));
  }
  return { results, longest };
}
