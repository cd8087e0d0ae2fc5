import type { Aftermath, Check } from './check.ts';
import type { Delivered } from './check-delivery.ts';
import type { Followed } from './session.ts';
import { effectsPath } from './work.ts';

/** The results of the built-in agent's conversations. */
export interface Conversations {
  checks: Check[];
  /** Number of tool results that clients were shown. */
  results: number;
  /** Of these, calls that were running when their worker died. */
  lost: number;
  /** Number of times that a model was told that the work tree is older than its memory. */
  restored: number;
  /** Number of times that a check failed and the agent continued with its output. */
  feedback: number;
}

interface Entry {
  type: string;
  text: string;
}

/**
 * Checks that each tool result was shown once and its call not run twice, and that each message is in the agent's
 * conversation once.
 */
export async function checkConversations(
  { installation, sessions, logs }: Aftermath,
  delivered: readonly Delivered[],
): Promise<Conversations> {
  const builtin = sessions.filter(({ work }) => work.runtime === 'builtin');
  const { rows } = await installation.postgres.db.pool.query<{ session_id: string; type: string; text: string }>(
    `select session_id, data ->> 'type' as type, coalesce(data ->> 'text', data ->> 'output', '') as text
     from session_records order by session_id, position`,
  );
  const twice: string[] = [];
  const said: string[] = [];
  let results = 0;
  let feedback = 0;
  for (const session of builtin) {
    const log = logs.get(session.id) ?? [];
    const shown = log.flatMap((event) => (event.kind === 'tool_result' ? [event.data.call_id] : []));
    results += shown.length;
    feedback += log.filter((event) => event.kind === 'phase' && isFailedCheck(event.data)).length;
    if (new Set(shown).size !== shown.length) twice.push(`${session.id}: a result was shown twice`);
    twice.push(...ranTwice(session, delivered));
    said.push(
      ...misheard(
        session,
        rows.filter((row) => row.session_id === session.id),
      ),
    );
  }
  const told = (text: string): number => rows.filter((row) => row.text.includes(text)).length;
  return {
    checks: [
      {
        what: 'completed tool calls shown or run twice',
        figure: `${twice.length} of ${results.toLocaleString('en')}`,
        violations: twice,
      },
      {
        what: 'messages not exactly once before the model',
        figure: `${said.length} of ${builtin.length} sessions`,
        violations: said,
      },
    ],
    results,
    lost: rows.filter(({ type, text }) => type === 'tool' && text.includes('lost the machine while this ran')).length,
    restored: told('the work tree was restored from a checkpoint'),
    feedback,
  };
}

function isFailedCheck({ name, status }: { name: string; status: string }): boolean {
  return name === 'verify' && status === 'failed';
}

/** Returns repeated shell steps. They log themselves, and the platform never repeats one. */
function ranTwice(session: Followed, delivered: readonly Delivered[]): string[] {
  const log = delivered.find((one) => one.session === session)?.texts.get(effectsPath) ?? '';
  const lines = log.split('\n').filter(Boolean);
  return new Set(lines).size === lines.length ? [] : [`${session.id}: its steps were ${lines.join(' ')}`];
}

function misheard({ id, acknowledged }: Followed, entries: readonly Entry[]): string[] {
  const heard = entries.filter(({ type }) => ['turn', 'user', 'note'].includes(type));
  return acknowledged.flatMap(({ content }) => {
    const times = heard.reduce((sum, { text }) => sum + text.split(content).length - 1, 0);
    return times === 1 ? [] : [`${id}: "${content}" came before the model ${times} times`];
  });
}

/** Checks that a session's usage is the sum of the calls in its log. */
export function checkUsage({ logs }: Aftermath, delivered: readonly Delivered[]): Check {
  let calls = 0;
  const violations = delivered.flatMap(({ record }) => {
    const used = (logs.get(record.id) ?? []).flatMap((event) => (event.kind === 'usage' ? [event.data] : []));
    calls += used.length;
    const off = (['input_tokens', 'output_tokens', 'cached_input_tokens', 'cost_usd'] as const).filter((field) => {
      const sum = used.reduce((total, data) => total + data[field], 0);
      return Math.abs(sum - record.usage[field]) > 1e-9 * Math.max(1, sum);
    });
    return off.map(
      (field) => `${record.id}: ${field} is ${record.usage[field]}, not the sum of its ${used.length} calls`,
    );
  });
  return {
    what: 'usage that is not the sum of its calls',
    figure: `${violations.length} of ${calls.toLocaleString('en')} calls`,
    violations,
  };
}
