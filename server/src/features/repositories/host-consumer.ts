import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import { openOnBranches } from './change-request-store.ts';
import { orderUpdate } from './code-index/queue-service.ts';
import type { RefreshContext } from './refresh-service.ts';
import { refreshStored } from './stored-service.ts';
import { readRepository } from './store.ts';

const ChangeRequestJob = Type.Object({ org_id: Type.String(), repository_id: Type.String(), number: Type.Integer() });

/** Events come in bursts. */
const quietMs = 2_000;

/** Brings records up to date after a host said that something happened: change requests, and the index of the default branch. */
export const followHosts: Consumer<Context> = {
  name: 'repositories.hosts',
  types: ['delivery.received'],
  handle: async (ctx, trx, events) => {
    for (const { orgId, resource, data } of events) {
      const place = { orgId, repositoryId: resource.id };
      const { type, number, ref } = data;
      if (type === 'change_request' && typeof number === 'number') await enqueueRefresh(ctx, trx, place, number);
      const branch = /^refs\/heads\/(.+)$/.exec(type === 'push' ? String(ref) : '')?.[1];
      if (branch === undefined) continue;
      for (const open of await openOnBranches(trx, orgId, resource.id, [branch]))
        await enqueueRefresh(ctx, trx, place, open.number);
      const repository = await readRepository(trx, orgId, resource.id);
      if (repository?.default_branch === branch) await orderUpdate(ctx, trx, { orgId, id: resource.id });
    }
  },
};

async function enqueueRefresh(
  ctx: Pick<Context, 'jobs' | 'clock'>,
  trx: Transaction<DB>,
  { orgId, repositoryId }: { orgId: string; repositoryId: string },
  number: number,
): Promise<void> {
  const data = { org_id: orgId, repository_id: repositoryId, number };
  const startAfter = new Date(ctx.clock.now().getTime() + quietMs);
  await ctx.jobs.enqueue(trx, 'change_request', data, { singletonKey: `${repositoryId} ${number}`, startAfter });
}

/** Asks hosts for the state of change requests in this process. */
export function startRefreshing(ctx: RefreshContext & Pick<Context, 'jobs'>): void {
  ctx.jobs.work('change_request', { concurrency: 4 }, async ({ data }) => {
    if (!Value.Check(ChangeRequestJob, data)) return;
    const { org_id: orgId, repository_id: repositoryId, number } = data;
    await refreshStored(ctx, orgId, repositoryId, number).catch((error: unknown) => {
      if (!(error instanceof ProviderError) || error.retryable) throw error;
      ctx.log.warn(
        { repository: repositoryId, number, reason: messageOf(error) },
        'a git host does not tell the state of a change request',
      );
    });
  });
}
