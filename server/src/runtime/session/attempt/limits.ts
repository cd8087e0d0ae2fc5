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
/** Interval at which a turn's use of the organization's storage is checked. */
const storageEveryMs = 5_000;

/** Returns the end of the run if a limit prevents the next round, `round`. */
export async function limitReached(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'events' | 'progress'>,
  round: number,
): Promise<RunEnd | undefined> {
  const allowed = attempt.session.budget.max_turns ?? Infinity;
  if (round > allowed) {
    attempt.events.write({ kind: 'budget', data: { limit: 'max_turns', used: round - 1, allowed } });
    return suspended(attempt, 'budget');
  }
  return (await checkStorage(attempt, true)) === 'full' ? suspended(attempt, 'storage') : undefined;
}

function suspended(attempt: Pick<Attempt, 'progress'>, reason: 'budget' | 'storage'): RunEnd {
  return { ...stoppedStatus(reason), sandboxSeconds: attempt.progress.seconds };
}

/** Stops the turn when it reaches a limit. Returns a function that ends the watch. */
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

/** Stops the turn at the budget's current `max_minutes`. */
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
 * Stops the turn when the organization's storage is full. The session still stores its last checkpoint, so no work is lost.
 */
function watchStorage(attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events'>): () => void {
  let isWarned = false;
  const check = async (): Promise<void> => {
    const found = await checkStorage(attempt, isWarned);
    isWarned ||= found !== 'room';
    if (found === 'full' && attempt.control.stopped === undefined) attempt.control.stopTurn('storage');
  };
  const timer = setInterval(() => {
    check().catch((error: unknown) => {
      attempt.ctx.log.debug({ session: attempt.run.id, reason: messageOf(error) }, 'failed to check the storage');
    });
  }, storageEveryMs);
  return () => clearInterval(timer);
}

/** Checks for free storage: `scarce` is left for unfinished work only. Warns of the latter two. */
async function checkStorage(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'events'>,
  isTold: boolean,
): Promise<'room' | 'scarce' | 'full'> {
  const { ctx, run } = attempt;
  const { usedBytes, maxBytes, maxWorkBytes } = await storageOf(ctx, ctx.db.kysely, run.orgId);
  if (usedBytes < maxBytes) return 'room';
  const isFull = usedBytes >= maxWorkBytes;
  const then = isFull
    ? 'The session is suspended and its work is saved. Free storage, then resume it.'
    : `The session continues until ${shownBytes(maxWorkBytes)} are used.`;
  if (isFull || !isTold) attempt.events.warn('storage_full', `${fullText(usedBytes, maxBytes)} ${then}`);
  return isFull ? 'full' : 'scarce';
}
