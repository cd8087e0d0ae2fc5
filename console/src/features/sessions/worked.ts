import type { Session } from '../../lib/api.ts';
import { duration } from '../../lib/format.ts';

type Worked = Pick<Session, 'status' | 'started_at' | 'ended_at'> & {
  usage: Pick<Session['usage'], 'sandbox_seconds'>;
};

export function isWorking({ status }: Pick<Session, 'status'>): boolean {
  return status === 'running' || status === 'provisioning';
}

/**
 * Returns how long a session has worked, and what that means; undefined while it waits, and if it never worked. Recorded
 * work excludes the time between turns. The work under way is recorded when it ends, so it only counts here before
 * anything else was recorded.
 */
export function workedOf(session: Worked, nowMs: number): { text: string; title: string } | undefined {
  const { started_at: start, ended_at: end, usage } = session;
  const recorded = duration(usage.sandbox_seconds * 1_000);
  if (!isWorking(session))
    return start === null || end === null ? undefined : { text: recorded, title: 'Time that it worked' };
  if (usage.sandbox_seconds > 0)
    return { text: `${recorded} +`, title: 'Time that it worked before the work under way' };
  return start === null
    ? undefined
    : { text: duration(nowMs - Date.parse(start)), title: 'Time since it was first started' };
}
