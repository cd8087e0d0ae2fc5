import type { Session } from '../../lib/api.ts';
import { duration } from '../../lib/format.ts';

type Worked = Pick<Session, 'status' | 'started_at' | 'working_since' | 'ended_at'> & {
  usage: Pick<Session['usage'], 'sandbox_seconds'>;
};

export function isWorking({ status }: Pick<Session, 'status'>): boolean {
  return status === 'running' || status === 'provisioning';
}

/**
 * Returns how long a session has worked; undefined while it waits, and if it never worked. The time between turns does
 * not count, and the work under way is recorded when it ends.
 */
export function workedOf(session: Worked, nowMs: number): string | undefined {
  const { started_at: start, working_since: since, ended_at: end, usage } = session;
  const recordedMs = usage.sandbox_seconds * 1_000;
  if (!isWorking(session)) return start === null || end === null ? undefined : duration(recordedMs);
  // The clocks of the browser and the server may differ.
  return duration(recordedMs + (since === null ? 0 : Math.max(0, nowMs - Date.parse(since))));
}
