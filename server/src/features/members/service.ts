import type { Transaction } from 'kysely';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues } from '../../lib/filters.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { permissions } from '../../lib/scopes.ts';
import { mutate } from '../audit-logs/mutate.ts';
import { endSignInsAfterRemoval } from '../auth/sign-in-service.ts';
import { ownerOf, revokeAllKeys } from '../keys/service.ts';
import { forgetOwner } from '../secrets/service.ts';
import type { UpdateMember } from './schemas.ts';
import { deleteMemberRow, listMemberRows, lockAdmins, membersQuery, readMember, updatePermission } from './store.ts';

type MemberContext = Pick<Context, 'db' | 'clock'>;

export async function listMembers(
  ctx: MemberContext,
  caller: Caller,
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

/** Those who are in a group. */
export async function listMembersIn(ctx: MemberContext, caller: Caller, groupId: string, query: PageQuery) {
  const rows = membersQuery(ctx.db.kysely, caller.organization.id, { groupId });
  return paginate({
    list: 'group_members',
    filters: { groupId },
    query,
    rows: (after, limit) => listMemberRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Throws 404 `user_not_found` for anybody who is not a member. */
export async function getMember(ctx: MemberContext, caller: Caller, userId: string) {
  return requireMember(await readMember(ctx.db.kysely, caller.organization.id, userId), userId);
}

/** Holds from the member's next request on. Throws 404 `user_not_found`, 409 `last_admin`. */
export async function updateMember(ctx: MemberContext, caller: Caller, userId: string, input: UpdateMember) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    if (input.permission !== 'admin') await keepAnAdmin(trx, orgId, userId);
    await updatePermission(trx, orgId, userId, input.permission);
    const row = requireMember(await readMember(trx, orgId, userId), userId);
    audit({ action: 'member.update', resource: { type: 'user', id: userId }, changes: { ...input } });
    return row;
  });
}

/**
 * Takes a person out of the organization and revokes their keys of it at once: open streams end, and a later membership
 * does not bring the keys back. Throws 404 `user_not_found`, 409 `last_admin`.
 */
export async function deleteMember(ctx: MemberContext, caller: Caller, userId: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    await keepAnAdmin(trx, orgId, userId);
    if (!(await deleteMemberRow(trx, orgId, userId))) throw notFound('user', userId);
    await revokeAllKeys(trx, ownerOf(orgId, 'user', userId), ctx.clock.now());
    await forgetOwner(trx, orgId, { type: 'user', id: userId });
    await endSignInsAfterRemoval(trx, userId);
    audit({ action: 'member.delete', resource: { type: 'user', id: userId } });
    return null;
  });
}

function requireMember<T>(row: T | undefined, userId: string): T {
  if (row === undefined) throw notFound('user', userId);
  return row;
}

async function keepAnAdmin(trx: Transaction<DB>, orgId: string, userId: string): Promise<void> {
  const admins = await lockAdmins(trx, orgId);
  if (admins.length === 1 && admins[0] === userId)
    throw new AppError('last_admin', `${userId} is the last administrator. Make somebody else one first.`);
}
