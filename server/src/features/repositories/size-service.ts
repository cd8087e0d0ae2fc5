import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { countRepository } from '../storage/ledger-service.ts';
import { listUnmeasured } from './deletion-store.ts';

type SizeContext = Pick<Context, 'db' | 'clock' | 'gitHost' | 'log'>;

const everyMs = 24 * 3_600_000;
const batchSize = 500;

/** Counts what a repository of the built-in host takes by now. */
export async function measureRepository(
  ctx: Pick<Context, 'db' | 'gitHost'>,
  orgId: string,
  id: string,
): Promise<void> {
  await countRepository(ctx, orgId, id, await ctx.gitHost.open(orgId, id).sizeBytes());
}

/** The same for those that nobody measured for a day: a merge, a crash and a version before this one leave them uncounted. */
export async function measureRepositories(ctx: SizeContext, signal?: AbortSignal): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - everyMs);
  for (const { org_id: orgId, id } of await listUnmeasured(ctx.db.kysely, before, batchSize)) {
    signal?.throwIfAborted();
    try {
      await measureRepository(ctx, orgId, id);
    } catch (error) {
      ctx.log.warn({ repository: id, reason: messageOf(error) }, 'cannot measure a repository');
    }
  }
}
