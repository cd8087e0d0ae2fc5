import { AppError } from '../../lib/errors.ts';
import { createSemaphores } from '../../lib/semaphore.ts';

function busy(what: string): () => AppError {
  const message = `Too many ${what} of the organization are under way. Try again in a few seconds.`;
  return () => new AppError('rate_limited', message, { retry_after_seconds: 10 });
}

/** Clones of other hosts' repositories, by organization: each takes a git, its memory and its time. */
export const importTurns = createSemaphores(2, 8, busy('imports'));
/** Comparisons that somebody waits for, by organization. */
export const diffTurns = createSemaphores(2, 16, busy('comparisons'));
