import { explain, type Exceeded } from '../../../features/groups/admission-service.ts';
import { holdSandboxTime } from '../../../features/sessions/dispatch/dispatch-service.ts';
import { LeaseLost } from '../../../features/sessions/run/run-service.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from './attempt.ts';

/** Sandbox time is asked for when less than this of what is held is left. */
const earlyMs = 10_000;
/** How often a session asks whose groups do not limit it: they may from now on. */
const lookMs = 30_000;
/** After the database could not be asked. */
const retryMs = 1_000;

/**
 * Watches over a turn's sandbox time where groups count it: holds some ahead, and stops the turn when a group has no
 * more. Answers how to end that.
 */
export function watchGroupTime(attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events'>): () => void {
  if (!attempt.session.in_groups) return () => undefined;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const waitMs = await holdMore(attempt).catch((error: unknown) => {
      if (error instanceof LeaseLost) attempt.control.loseLease(error);
      else
        attempt.ctx.log.warn({ session: attempt.run.id, reason: messageOf(error) }, 'sandbox time could not be held');
      return retryMs;
    });
    if (!ended && waitMs !== undefined) timer = setTimeout(() => void look(), waitMs);
  };
  void look();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** Milliseconds until it has to be asked again; undefined when the turn has to end. */
async function holdMore(attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events'>): Promise<number | undefined> {
  const time = await holdSandboxTime(attempt.ctx, attempt.run);
  if (time === undefined) return lookMs;
  const leftMs = time.leftSeconds * 1_000;
  if (time.exceeded === undefined) return leftMs > earlyMs ? leftMs - earlyMs : leftMs;
  if (attempt.control.stopped === undefined) {
    groupReached(attempt, time.exceeded);
    attempt.control.stopTurn('budget');
  }
  return undefined;
}

/** Says that a group has no more for its day. */
export function groupReached({ ctx, events }: Pick<Attempt, 'ctx' | 'events'>, exceeded: Exceeded): void {
  const { limit, used, allowed } = exceeded;
  const message = explain(exceeded, ctx.clock.now());
  events.write({ kind: 'warning', data: { code: 'group_limit', message } });
  events.write({ kind: 'budget', data: { limit: `group_${limit}`, used, allowed } });
}
