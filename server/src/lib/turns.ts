import { AppError } from './errors.ts';
import { createSemaphores, type SemaphoreLimits } from './semaphore.ts';

/**
 * Limits expensive work of this process by key. Rejects with 429 `rate_limited` for the key's own load, and 503
 * `capacity_unavailable` when others occupy all slots. `whose` says what a key stands for.
 */
export function createTurns(
  what: string,
  { whose = 'of the organization', ...limits }: SemaphoreLimits & { whose?: string },
) {
  const retry = { retry_after_seconds: 10 };
  const again = 'Try again in a few seconds.';
  return createSemaphores(limits, (why) => {
    if (why !== 'others')
      return new AppError('rate_limited', `Too many ${what} ${whose} are in progress. ${again}`, retry);
    const message = `This server has reached its limit of ${limits.total} concurrent ${what}. ${again}`;
    return new AppError('capacity_unavailable', message, retry);
  });
}
