import { explain, type Exceeded } from '../../../features/groups/admission-service.ts';
import { holdSandboxTime } from '../../../features/sessions/dispatch/dispatch-service.ts';
import { LeaseLost } from '../../../features/sessions/run/run-service.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from './attempt.ts';

/** More sandbox time is reserved when less than this is left of the reservation. */
const earlyMs = 10_000;
/** Interval of checks for a session whose groups have no limit yet. */
const pollMs = 30_000;
/** Delay after a failed query. */
const retryMs = 1_000;

/**
 * Reserves a turn's sandbox time from its groups ahead of use, and stops the turn when a group's limit is reached. Returns a
 * function that ends the watch.
 */
export function watchGroupTime(attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events'>): () => void {
  if (!attempt.session.in_groups) return () => undefined;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const reserve = async (): Promise<void> => {
    const waitMs = await reserveMore(attempt).catch((error: unknown) => {
      if (error instanceof LeaseLost) attempt.control.loseLease(error);
      else
        attempt.ctx.log.warn({ session: attempt.run.id, reason: messageOf(error) }, 'failed to reserve sandbox time');
      return retryMs;
    });
    if (!ended && waitMs !== undefined) timer = setTimeout(() => void reserve(), waitMs);
  };
  void reserve();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** Returns the milliseconds until the next reservation; undefined when the turn must end. */
async function reserveMore(attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events'>): Promise<number | undefined> {
  const time = await holdSandboxTime(attempt.ctx, attempt.run);
  if (time === undefined) return pollMs;
  const leftMs = time.leftSeconds * 1_000;
  if (time.exceeded === undefined) return leftMs > earlyMs ? leftMs - earlyMs : leftMs;
  if (attempt.control.stopped === undefined) {
    reportGroupLimit(attempt, time.exceeded);
    attempt.control.stopTurn('budget');
  }
  return undefined;
}

/** Writes to the log that a group's daily limit is reached. */
export function reportGroupLimit({ ctx, events }: Pick<Attempt, 'ctx' | 'events'>, exceeded: Exceeded): void {
  const { account, limit, used, allowed } = exceeded;
  const message = explain(exceeded, ctx.clock.now());
  events.write({ kind: 'warning', data: { code: 'group_limit', message } });
  events.write({ kind: 'budget', data: { limit: `group_${limit}`, used, allowed, group_id: account.groupId } });
}
