import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { ownerOf, revokeAllKeys, type KeyOwner } from '../keys/service.ts';
import { deleteSecretsOf } from '../secrets/public.ts';
import type { CreateServiceUser, UpdateServiceUser } from './schemas.ts';
import {
  insertServiceUser,
  listServiceUserRows,
  lockServiceUser,
  readServiceUser,
  serviceUsersQuery,
  updateServiceUserRow,
} from './store.ts';

type ServiceUserContext = Pick<Context, 'db' | 'clock'>;

export async function listServiceUsers(ctx: ServiceUserContext, caller: Actor, query: PageQuery) {
  const rows = serviceUsersQuery(ctx.db.kysely, caller.organization.id);
  return paginate({
    list: 'service_users',
    filters: { orgId: caller.organization.id },
    query,
    rows: (after, limit) => listServiceUserRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

export async function getServiceUser(ctx: ServiceUserContext, caller: Actor, id: string) {
  const row = await readServiceUser(ctx.db.kysely, caller.organization.id, id);
  if (row === undefined) throw notFound('service_user', id);
  return row;
}

/** Returns the owner of a service user's keys; 404 `service_user_not_found`. */
export async function serviceUserKeys(ctx: ServiceUserContext, caller: Actor, id: string): Promise<KeyOwner> {
  await getServiceUser(ctx, caller, id);
  return ownerOf(caller.organization.id, 'service_user', id);
}

/** Returns the owner for a new key: 409 `conflict` for a disabled service user. */
export async function enabledServiceUserKeys(ctx: ServiceUserContext, caller: Actor, id: string): Promise<KeyOwner> {
  const row = await getServiceUser(ctx, caller, id);
  if (row.disabled_at !== null)
    throw new AppError('conflict', `The service user ${id} is disabled. Create another one.`);
  return ownerOf(caller.organization.id, 'service_user', id);
}

export async function createServiceUser(ctx: ServiceUserContext, caller: Caller, input: CreateServiceUser) {
  const now = ctx.clock.now();
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await insertServiceUser(trx, {
      id: newId('svc', now.getTime()),
      org_id: caller.organization.id,
      name: input.name,
      description: input.description ?? '',
      created_at: now,
      updated_at: now,
    });
    audit({
      action: 'service_user.create',
      resource: { type: 'service_user', id: row.id },
      changes: { name: row.name },
    });
    return row;
  });
}

export async function updateServiceUser(ctx: ServiceUserContext, caller: Caller, id: string, input: UpdateServiceUser) {
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockServiceUser(trx, caller.organization.id, id);
    if (before === undefined) throw notFound('service_user', id);
    await requireMatch(caller, () => before);
    if (changesNothing(before, input)) return before;
    const row = await updateServiceUserRow(trx, caller.organization.id, id, { ...input, updated_at: ctx.clock.now() });
    if (row === undefined) throw notFound('service_user', id);
    audit({ action: 'service_user.update', resource: { type: 'service_user', id }, changes: { ...input } });
    return row;
  });
}

/** Disables the service user and revokes its keys at once; it stays readable. Idempotent. */
export async function disableServiceUser(ctx: ServiceUserContext, caller: Caller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const row = await lockServiceUser(trx, orgId, id);
    if (row === undefined) throw notFound('service_user', id);
    await requireMatch(caller, () => row);
    if (row.disabled_at !== null) return null;
    await updateServiceUserRow(trx, orgId, id, { disabled_at: now, updated_at: now });
    await revokeAllKeys(trx, ownerOf(orgId, 'service_user', id), now);
    await deleteSecretsOf(trx, orgId, { type: 'service_user', id });
    audit({ action: 'service_user.disable', resource: { type: 'service_user', id } });
    return null;
  });
}
