import type { Context } from './context.ts';
import { forgetSignIns } from '../features/auth/sign-in-service.ts';
import { tidyBrowsers } from '../features/browser/host-service.ts';
import { purgeOrganizations } from '../features/organizations/purge-service.ts';
import { pruneRepositories } from '../features/repositories/prune-service.ts';
import { purgeRepositories } from '../features/repositories/purge-service.ts';
import { measureRepositories } from '../features/repositories/size-service.ts';
import { expireApprovals } from '../features/sessions/run/approval-state-service.ts';
import { sweepCheckpoints } from '../features/sessions/run/checkpoint-sweep-service.ts';
import { archiveEnded, suspendIdle } from '../features/sessions/dispatch/rest-service.ts';
import { sweepAttachments } from '../features/attachments/service.ts';
import { sweepLedger } from '../features/storage/ledger-service.ts';
import { lostCallsGone } from '../features/groups/call-service.ts';
import { forgetMemory } from '../features/memory/upkeep-service.ts';
import { silentWorkersGone } from '../features/sessions/run/worker-service.ts';
import { purgeWorkerCalls } from '../jobs/call-store.ts';
import { forgetDeletedSkills } from '../features/skills/public.ts';
import { purgeIdempotencyKeys } from '../http/idempotency-store.ts';
import { purgeRateLimits } from '../http/rate-limit-store.ts';

/** What one process does for all: every minute for sessions that wait, every five for what is over. */
export async function startUpkeep(ctx: Pick<Context, 'db' | 'jobs' | 'clock' | 'blobs' | 'log'>): Promise<void> {
  ctx.jobs.work('upkeep', { concurrency: 1 }, async () => {
    await purgeIdempotencyKeys(ctx.db);
    await silentWorkersGone(ctx);
    await lostCallsGone(ctx);
    await purgeRateLimits(ctx.db);
    await purgeWorkerCalls(ctx.db);
    await tidyBrowsers(ctx);
    await forgetSignIns(ctx);
    await archiveEnded(ctx);
    await forgetMemory(ctx);
    await forgetDeletedSkills(ctx);
  });
  ctx.jobs.work('idle', { concurrency: 1 }, async () => {
    await suspendIdle(ctx);
    await expireApprovals(ctx);
  });
  ctx.jobs.work('sweep', { concurrency: 1 }, async () => {
    await sweepAttachments(ctx);
    await sweepCheckpoints(ctx);
    await sweepLedger(ctx);
  });
  await ctx.jobs.schedule('upkeep', '*/5 * * * *', {});
  await ctx.jobs.schedule('idle', '* * * * *', {});
  await ctx.jobs.schedule('sweep', '17 3 * * *', {});
}

/** What a process that has the repositories does for all every hour: removes what was deleted or lost long ago, and looks how large the rest is. */
export async function startPurge(
  ctx: Pick<Context, 'db' | 'jobs' | 'clock' | 'blobs' | 'gitHost' | 'log'>,
): Promise<void> {
  ctx.jobs.work('purge', { concurrency: 1 }, async () => {
    await purgeRepositories(ctx);
    await pruneRepositories(ctx);
    await measureRepositories(ctx);
    await purgeOrganizations(ctx);
  });
  await ctx.jobs.schedule('purge', '17 * * * *', {});
}
