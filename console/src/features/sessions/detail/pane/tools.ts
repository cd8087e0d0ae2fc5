import type { SessionEvent } from '@guildhall/client';
import { verbOf } from '../../timeline/step.ts';

type Of<Kind extends SessionEvent['kind']> = Extract<SessionEvent, { kind: Kind }>;

/** What the calls of a kind of tool took. */
export interface ToolGroup {
  name: string;
  calls: number;
  failed: number;
  /** From each call to its result; of parallel calls, the sum. */
  durationMs: number;
}

const names: Record<ReturnType<typeof verbOf>, string> = {
  read: 'Read files',
  search: 'Search',
  run: 'Run commands',
  edit: 'Edit files',
  browse: 'Browser',
  plan: 'Plan',
  ask: 'Ask',
  use: 'Other tools',
};

/** Returns what each kind of tool took, the longest first; a call without a result counts, and takes no time. */
export function toolGroupsOf(calls: readonly Of<'tool_call'>[], results: readonly Of<'tool_result'>[]): ToolGroup[] {
  const ends = new Map(results.map((result) => [result.data.call_id, result]));
  const groups = new Map<string, ToolGroup>();
  for (const { created_at: at, data } of calls) {
    const name = names[verbOf(data.name)];
    const end = ends.get(data.call_id);
    const before = groups.get(name) ?? { name, calls: 0, failed: 0, durationMs: 0 };
    groups.set(name, {
      name,
      calls: before.calls + 1,
      failed: before.failed + (end?.data.ok === false ? 1 : 0),
      durationMs: before.durationMs + (end === undefined ? 0 : Date.parse(end.created_at) - Date.parse(at)),
    });
  }
  return [...groups.values()].toSorted((a, b) => b.durationMs - a.durationMs);
}
