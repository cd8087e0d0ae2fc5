import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { scopeOfList, viewedLists, type CreateView, type ViewedList } from './schemas.ts';
import { countViews, deleteViewRow, insertView, listViewRows, lockView, readView, viewsQuery } from './store.ts';

type ViewContext = Pick<Context, 'db' | 'clock'>;

const maxViews = 1_000;

/** Lists the views of the lists that the caller may read. */
export async function listViews(ctx: ViewContext, caller: Actor, query: PageQuery & { list?: string }) {
  const wanted = filterValues('list', query.list, viewedLists);
  const lists = readableBy(caller).filter((list) => wanted.length === 0 || wanted.includes(list));
  const orgId = caller.organization.id;
  const rows = viewsQuery(ctx.db.kysely, orgId, lists);
  return paginate({
    list: 'views',
    filters: { orgId, lists },
    query,
    rows: (after, limit) => listViewRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

export async function getView(ctx: ViewContext, caller: Actor, id: string) {
  const row = await readView(ctx.db.kysely, caller.organization.id, readableBy(caller), id);
  if (row === undefined) throw notFound('view', id);
  return row;
}

/** Throws 403 `forbidden` if the caller may not read the list, and 409 `conflict` for a used name or at the limit. */
export async function createView(ctx: ViewContext, caller: Caller, { list, name, query = {} }: CreateView) {
  const scope = scopeOfList[list];
  if (!caller.scopes.has(scope)) throw new AppError('forbidden', `A view of ${list} needs the scope ${scope}.`);
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    if ((await countViews(trx, orgId)) >= maxViews)
      throw new AppError(
        'conflict',
        `Limit reached: an organization can have at most ${maxViews} views. Delete one first.`,
      );
    const now = ctx.clock.now();
    const id = newId('view', now.getTime());
    const { type, id: creator } = caller.principal;
    const isNew = await insertView(trx, {
      id,
      org_id: orgId,
      list,
      name,
      query: JSON.stringify(query),
      created_by_type: type,
      created_by_id: creator,
      created_at: now,
    });
    if (!isNew)
      throw new AppError(
        'conflict',
        `A view of ${list} named ${JSON.stringify(name)} already exists. Choose another name.`,
      );
    audit({ action: 'view.create', resource: { type: 'view', id }, changes: { list, name, query } });
    const row = await readView(trx, orgId, [list], id);
    if (row === undefined) throw notFound('view', id);
    return row;
  });
}

/** Throws 403 `forbidden` for others than its creator and holders of `org:write`. */
export async function deleteView(ctx: ViewContext, caller: Caller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await lockView(trx, orgId, readableBy(caller), id);
    if (row === undefined) throw notFound('view', id);
    const { created_by_type, created_by_id, ...view } = row;
    await requireMatch(caller, () => view);
    const isCreator = created_by_type === caller.principal.type && created_by_id === caller.principal.id;
    if (!isCreator && !caller.scopes.has('org:write'))
      throw new AppError('forbidden', 'Only its creator, or a holder of the scope org:write, can delete a view.');
    await deleteViewRow(trx, id);
    audit({ action: 'view.delete', resource: { type: 'view', id }, changes: { list: view.list, name: view.name } });
    return null;
  });
}

function readableBy({ scopes }: Pick<Actor, 'scopes'>): ViewedList[] {
  return viewedLists.filter((list) => scopes.has(scopeOfList[list]));
}
