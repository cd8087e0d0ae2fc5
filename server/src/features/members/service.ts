import type { AuditVerb } from '../../lib/names.ts';
import type { Transaction } from 'kysely';
import { requireGrantable, type Actor, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues } from '../../lib/filters.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { permissions, type Permission } from '../../lib/scopes.ts';
import { mutate, recordSystemAct, type AuditFact } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { endSignInsAfterRemoval } from '../auth/sign-in-service.ts';
import { ownerOf, revokeAllKeys } from '../keys/service.ts';
import { deleteMemberNotes } from '../knowledge/public.ts';
import { deleteSecretsOf } from '../secrets/public.ts';
import type { UpdateMember } from './schemas.ts';
import {
  deleteMemberRow,
  insertMember,
  listMemberRows,
  lockAdmins,
  lockMember,
  membersQuery,
  readMember,
  updatePermission,
} from './store.ts';

type MemberContext = Pick<Context, 'db' | 'clock'>;

export async function listMembers(
  ctx: MemberContext,
  caller: Actor,
  query: PageQuery & { search?: string; permission?: string },
) {
  const { search, permission } = query;
  const rows = membersQuery(ctx.db.kysely, caller.organization.id, {
    search,
    permissions: filterValues('permission', permission, permissions),
  });
  return paginate({
    list: 'members',
    filters: { orgId: caller.organization.id, search, permission },
    query,
    rows: (after, limit) => listMemberRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Lists the members of a group. */
export async function listMembersIn(ctx: MemberContext, caller: Actor, groupId: string, query: PageQuery) {
  const rows = membersQuery(ctx.db.kysely, caller.organization.id, { groupId });
  return paginate({
    list: 'group_members',
    filters: { groupId },
    query,
    rows: (after, limit) => listMemberRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Throws 404 `user_not_found` for anyone who is not a member. */
export async function getMember(ctx: MemberContext, caller: Actor, userId: string) {
  return requireMember(await readMember(ctx.db.kysely, caller.organization.id, userId), userId);
}

/**
 * Takes effect with the member's next request. Throws 404 `user_not_found`, 409 `last_admin`, 403 `forbidden` for a permission
 * with scopes that the caller lacks.
 */
export async function updateMember(ctx: MemberContext, caller: Caller, userId: string, input: UpdateMember) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    if (input.permission !== 'admin') await keepAnAdmin(trx, orgId, userId);
    await lockMember(trx, orgId, userId);
    const before = requireMember(await readMember(trx, orgId, userId), userId);
    await requireMatch(caller, () => before);
    if (changesNothing(before, input)) return before;
    requireGrantable(caller, input.permission, before.permission);
    await updatePermission(trx, orgId, userId, input.permission);
    const row = requireMember(await readMember(trx, orgId, userId), userId);
    audit({ action: 'member.update', resource: { type: 'user', id: userId }, changes: { ...input } });
    return row;
  });
}

/**
 * Removes a user from the organization and revokes their keys of it at once: open streams end, and a later membership does not
 * restore the keys. Throws 404 `user_not_found`, 409 `last_admin`.
 */
export async function deleteMember(ctx: MemberContext, caller: Caller, userId: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    await keepAnAdmin(trx, orgId, userId);
    await lockMember(trx, orgId, userId);
    await requireMatch(caller, async () => requireMember(await readMember(trx, orgId, userId), userId));
    if (!(await removeMember(trx, orgId, userId, ctx.clock.now()))) throw notFound('user', userId);
    audit({ action: 'member.delete', resource: { type: 'user', id: userId } });
    return null;
  });
}

/** Returns false for a user who is not a member. */
async function removeMember(trx: Transaction<DB>, orgId: string, userId: string, now: Date): Promise<boolean> {
  if (!(await deleteMemberRow(trx, orgId, userId))) return false;
  await revokeAllKeys(trx, ownerOf(orgId, 'user', userId), now);
  await deleteSecretsOf(trx, orgId, { type: 'user', id: userId });
  await deleteMemberNotes(trx, orgId, userId);
  await endSignInsAfterRemoval(trx, userId);
  return true;
}

/**
 * Sets a membership to what the groups of an identity provider grant; `undefined` removes it. Memberships that were created
 * otherwise stay as they are, and so does the last administrator: `kept_last_admin`.
 */
export async function followGroups(
  trx: Transaction<DB>,
  wanted: { orgId: string; userId: string; permission: Permission | undefined; now: Date },
): Promise<'done' | 'kept_last_admin'> {
  const { orgId, userId, permission, now } = wanted;
  const admins = await lockAdmins(trx, orgId);
  const member = await readMember(trx, orgId, userId);
  if (member === undefined && permission === undefined) return 'done';
  if (member !== undefined && (member.source !== 'sso' || member.permission === permission)) return 'done';
  if (admins.length === 1 && admins[0] === userId) return 'kept_last_admin';
  const act = (verb: AuditVerb<'member'>): AuditFact => ({
    action: `member.${verb}`,
    resource: { type: 'user', id: userId },
    changes: permission === undefined ? {} : { permission },
  });
  if (permission === undefined) {
    await removeMember(trx, orgId, userId, now);
    await recordSystemAct(trx, orgId, 'single sign-on', act('delete'), now);
  } else if (member === undefined) {
    await insertMember(trx, { org_id: orgId, user_id: userId, permission, source: 'sso', joined_at: now });
    // A new membership does not restore what the previous one had.
    await revokeAllKeys(trx, ownerOf(orgId, 'user', userId), now);
    await recordSystemAct(trx, orgId, 'single sign-on', act('create'), now);
  } else {
    await updatePermission(trx, orgId, userId, permission);
    await recordSystemAct(trx, orgId, 'single sign-on', act('update'), now);
  }
  return 'done';
}

function requireMember<T>(row: T | undefined, userId: string): T {
  if (row === undefined) throw notFound('user', userId);
  return row;
}

async function keepAnAdmin(trx: Transaction<DB>, orgId: string, userId: string): Promise<void> {
  const admins = await lockAdmins(trx, orgId);
  if (admins.length === 1 && admins[0] === userId)
    throw new AppError('last_admin', `${userId} is the last administrator. Promote another member first.`);
}
