import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import type { Consumer } from '../../../outbox/consumer.ts';
import { hasWiki, queueIndex, repositoryOfChangeRequest } from './store.ts';

/** Orders an update of a repository's index, from nothing with `create`. Returns false if there is none to update. */
export async function orderUpdate(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  { orgId, id, create = false }: { orgId: string; id: string; create?: boolean },
): Promise<boolean> {
  if (!(await queueIndex(trx, orgId, id, create))) return false;
  await ctx.jobs.enqueue(trx, 'repository_index', { org_id: orgId, repository_id: id }, { singletonKey: id });
  return true;
}

/** Orders the pages of a repository's wiki, if it has one: they describe the index. */
export async function orderWiki(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  orgId: string,
  id: string,
): Promise<void> {
  if (await hasWiki(trx, id))
    await ctx.jobs.enqueue(trx, 'wiki', { org_id: orgId, repository_id: id }, { singletonKey: id });
}

/** Updates the index of a repository whose default branch may have moved, if it has one. */
export async function branchMoved(ctx: Pick<Context, 'db' | 'jobs'>, orgId: string, id: string): Promise<void> {
  await ctx.db.transaction((trx) => orderUpdate(ctx, trx, { orgId, id }));
}

/** Updates indexes after merges. */
export const indexMerges: Consumer<Context> = {
  name: 'repositories.index',
  types: ['change_request.state_changed'],
  handle: async (ctx, trx, events) => {
    for (const { orgId, resource } of events.filter(({ data }) => data['state'] === 'merged')) {
      const id = await repositoryOfChangeRequest(trx, orgId, resource.id);
      if (id !== undefined) await orderUpdate(ctx, trx, { orgId, id });
    }
  },
};
