import type { RunEnd } from '../../../features/sessions/run/run-service.ts';
import { fullText } from '../../../features/storage/full.ts';
import { storageOf } from '../../../features/storage/quota-service.ts';
import { shownBytes } from '../../../lib/bytes.ts';
import { messageOf } from '../../../lib/errors.ts';
import { toMillionth } from '../../../lib/rounded.ts';
import type { Attempt } from './attempt.ts';
import { remainingMs, stoppedStatus } from './decide.ts';
import { watchGroupTime } from './group-time.ts';

const minutesEveryMs = 1_000;
/** So long a session may go on to fill the organization's storage before it is seen. */
const storageEveryMs = 5_000;

/** How a turn that some limit does not let begin leaves the session; `round` would be its next. */
export async function limitReached(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'events' | 'progress'>,
  round: number,
): Promise<RunEnd | undefined> {
  const allowed = attempt.session.budget.max_turns ?? Infinity;
  if (round > allowed) {
    attempt.events.write({ kind: 'budget', data: { limit: 'max_turns', used: round - 1, allowed } });
    return suspended(attempt, 'budget');
  }
  return (await lookAtStorage(attempt, true)) === 'full' ? suspended(attempt, 'storage') : undefined;
}

function suspended(attempt: Pick<Attempt, 'progress'>, reason: 'budget' | 'storage'): RunEnd {
  return { ...stoppedStatus(reason), sandboxSeconds: attempt.progress.seconds };
}

/** Ends the turn when a limit is reached while it works; answers how to end the watch. */
export function watchLimits(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events' | 'progress'>,
): () => void {
  const minutes = setInterval(() => watchMinutes(attempt), minutesEveryMs);
  const unwatchTime = watchGroupTime(attempt);
  const unwatchStorage = watchStorage(attempt);
  return () => {
    clearInterval(minutes);
    unwatchTime();
    unwatchStorage();
  };
}

/** Ends the turn when the session has worked for as long as it may; the budget can be changed meanwhile. */
function watchMinutes(attempt: Pick<Attempt, 'control' | 'session' | 'events' | 'progress'>): void {
  const { control, session } = attempt;
  const allowed = control.maxMinutes;
  const leftMs = remainingMs(allowed, session.sandbox_seconds + attempt.progress.seconds);
  if (allowed === undefined || leftMs === undefined || leftMs > 0 || control.stopped !== undefined) return;
  const used = toMillionth((session.sandbox_seconds + attempt.progress.seconds) / 60);
  attempt.events.write({ kind: 'budget', data: { limit: 'max_minutes', used, allowed } });
  control.stopTurn('budget');
}

/**
 * Ends the turn when the organization keeps more than work may fill. What the session makes is kept all the same, its last
 * checkpoint too: nothing that was done is lost.
 */
function watchStorage(attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events'>): () => void {
  let isTold = false;
  const look = async (): Promise<void> => {
    const found = await lookAtStorage(attempt, isTold);
    isTold ||= found !== 'room';
    if (found === 'full' && attempt.control.stopped === undefined) attempt.control.stopTurn('storage');
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      attempt.ctx.log.debug({ session: attempt.run.id, reason: messageOf(error) }, 'storage could not be looked at');
    });
  }, storageEveryMs);
  return () => clearInterval(timer);
}

/** Whether there is room for more work, only what is left for work that was begun, or none; tells of the latter two. */
async function lookAtStorage(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'events'>,
  isTold: boolean,
): Promise<'room' | 'scarce' | 'full'> {
  const { ctx, run } = attempt;
  const { usedBytes, maxBytes, maxWorkBytes } = await storageOf(ctx, ctx.db.kysely, run.orgId);
  if (usedBytes < maxBytes) return 'room';
  const isFull = usedBytes >= maxWorkBytes;
  const then = isFull
    ? 'The session is suspended, with all its work; resume it when there is room.'
    : `The session goes on until it is ${shownBytes(maxWorkBytes)}.`;
  if (isFull || !isTold) attempt.events.warn('storage_full', `${fullText(usedBytes, maxBytes)} ${then}`);
  return isFull ? 'full' : 'scarce';
}
