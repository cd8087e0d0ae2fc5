import type { Actor, AuthenticatedCaller, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import type { CreateKey, RevokeQuery } from '../keys/schemas.ts';
import { checkNewKey, createKey, listKeys, ownerOf, removeKey, revokeAllKeys, type KeyOwner } from '../keys/service.ts';
import { deleteSecretsOf } from '../secrets/public.ts';
import type { CreateApp } from './schemas.ts';
import { appsQuery, deleteAppRow, insertApp, listAppRows, readApp } from './store.ts';

type AppContext = Pick<Context, 'db' | 'clock'>;

export async function listApps(ctx: AppContext, caller: Actor, query: PageQuery) {
  const { first, after } = query;
  const rows = appsQuery(ctx.db.kysely, caller.organization.id);
  return paginate({
    list: 'apps',
    filters: { orgId: caller.organization.id },
    query: { first, after },
    rows: (position, limit) => listAppRows(rows, position, limit),
    total: () => countRows(ctx.db, rows),
  });
}

export async function createApp(ctx: AppContext, caller: Caller, input: CreateApp) {
  const now = ctx.clock.now();
  return mutate(ctx, caller, async (trx, audit) => {
    const { name, description = '' } = input;
    const id = newId('app', now.getTime());
    const row = await insertApp(trx, { id, org_id: caller.organization.id, name, description, created_at: now });
    audit({ action: 'app.create', resource: { type: 'app', id }, changes: { name } });
    return row;
  });
}

/** Deletes an app and revokes its keys at once, on every process. Throws 404 `app_not_found`. */
export async function deleteApp(ctx: AppContext, caller: Caller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const app = await deleteAppRow(trx, orgId, id);
    if (app === undefined) throw notFound('app', id);
    await revokeAllKeys(trx, ownerOf(orgId, 'app', id), ctx.clock.now());
    await deleteSecretsOf(trx, orgId, { type: 'app', id });
    audit({ action: 'app.delete', resource: { type: 'app', id }, changes: { name: app.name } });
    return null;
  });
}

export async function listAppKeys(ctx: AppContext, caller: Actor, id: string, query: PageQuery) {
  const { first, after } = query;
  return listKeys(ctx, await keysOf(ctx, caller, id), { first, after });
}

export async function createAppKey(ctx: AppContext, caller: AuthenticatedCaller, id: string, input: CreateKey) {
  // Validates the request before looking up the app.
  checkNewKey(ctx, caller, input);
  return createKey(ctx, caller, await keysOf(ctx, caller, id), input);
}

/** Throws 404 `app_not_found`, and `key_not_found` also for a deleted key. */
export async function deleteAppKey(
  ctx: AppContext,
  caller: AuthenticatedCaller,
  id: string,
  keyId: string,
  query: RevokeQuery,
) {
  const revoked_at = await removeKey(ctx, caller, await keysOf(ctx, caller, id), keyId, query);
  return { id: keyId, app_id: id, revoked_at };
}

async function keysOf(ctx: AppContext, caller: Actor, id: string): Promise<KeyOwner> {
  const orgId = caller.organization.id;
  if ((await readApp(ctx.db.kysely, orgId, id)) === undefined) throw notFound('app', id);
  return ownerOf(orgId, 'app', id);
}
