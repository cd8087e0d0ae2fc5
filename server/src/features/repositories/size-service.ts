import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { countRepository } from '../storage/ledger-service.ts';
import { listUnmeasured } from './deletion-store.ts';

type SizeContext = Pick<Context, 'db' | 'clock' | 'gitHost' | 'log'>;

const everyMs = 24 * 3_600_000;
const batchSize = 500;

/** Records the current size of a repository of the built-in host. */
export async function measureRepository(
  ctx: Pick<Context, 'db' | 'gitHost'>,
  orgId: string,
  id: string,
): Promise<void> {
  await countRepository(ctx, orgId, id, await ctx.gitHost.open(orgId, id).sizeBytes());
}

/**
 * Measures repositories that were not measured for a day: merges, crashes and earlier versions leave them unmeasured.
 */
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
