import { AppError } from './errors.ts';
import { createSemaphores, type SemaphoreLimits } from './semaphore.ts';

/**
 * Turns at something that takes much of this process's machine, by key, with words for who gets none: 429 `rate_limited` for
 * what is their own doing, 503 `capacity_unavailable` where others have all turns. `whose` says what a key stands for.
 */
export function createTurns(
  what: string,
  { whose = 'of the organization', ...limits }: SemaphoreLimits & { whose?: string },
) {
  const retry = { retry_after_seconds: 10 };
  const again = 'Try again in a few seconds.';
  return createSemaphores(limits, (why) => {
    if (why !== 'others')
      return new AppError('rate_limited', `Too many ${what} ${whose} are under way. ${again}`, retry);
    const message = `This server has ${limits.total} ${what} under way, which is all that it does at once. ${again}`;
    return new AppError('capacity_unavailable', message, retry);
  });
}
