import type { Context } from './context.ts';
import { forgetSignIns } from './features/auth/sign-in-service.ts';
import { silentWorkersGone } from './features/sessions/worker-service.ts';
import { purgeIdempotencyKeys } from './http/idempotency-store.ts';
import { purgeRateLimits } from './http/rate-limit-store.ts';

/** What one process does for all every five minutes: forgets what nobody may ask for any more. */
export async function startUpkeep(ctx: Pick<Context, 'db' | 'jobs' | 'clock'>): Promise<void> {
  ctx.jobs.work('upkeep', { concurrency: 1 }, async () => {
    await purgeIdempotencyKeys(ctx.db);
    await silentWorkersGone(ctx);
    await purgeRateLimits(ctx.db);
    await forgetSignIns(ctx);
  });
  await ctx.jobs.schedule('upkeep', '*/5 * * * *', {});
}
