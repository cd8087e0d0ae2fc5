import type { Kysely } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { fieldError } from '../../lib/field-error.ts';
import { notFound } from '../../lib/errors.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import type { Role } from '../../lib/scopes.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import type { SetRoleAssignment } from './schemas.ts';
import { listRoleRows, lockRole, readRole, rolesQuery, updateRole } from './store.ts';

type RoleContext = Pick<Context, 'db' | 'clock'>;

/** Every member has a role; the default is `regular`. */
export async function listRoleAssignments(ctx: RoleContext, caller: Actor, query: PageQuery) {
  const rows = rolesQuery(ctx.db.kysely, caller.organization.id);
  return paginate({
    list: 'roles',
    filters: { orgId: caller.organization.id },
    query,
    rows: (after, limit) => listRoleRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Throws 404 `user_not_found` for anyone who is not a member. */
export async function getRoleAssignment(ctx: RoleContext, caller: Actor, userId: string) {
  const row = await readRole(ctx.db.kysely, caller.organization.id, userId);
  if (row === undefined) throw notFound('user', userId);
  return row;
}

/** Returns the role of a member; undefined for anyone else. */
export async function roleOf(db: Kysely<DB>, orgId: string, userId: string): Promise<Role | undefined> {
  return (await readRole(db, orgId, userId))?.role;
}

/**
 * Assigns a role to a member, named by id or by e-mail. Throws 400 `invalid_request` for neither or both, and 404
 * `user_not_found` for anyone who is not a member.
 */
export async function setRoleAssignment(ctx: RoleContext, caller: Caller, input: SetRoleAssignment) {
  const target = targetOf(input);
  return mutate(ctx, caller, async (trx, audit) => {
    const orgId = caller.organization.id;
    const before = await lockRole(trx, orgId, target);
    if (before === undefined) throw notFound('user', 'userId' in target ? target.userId : target.email);
    await requireMatch(caller, () => before);
    // A role that nobody set has no time yet.
    if (before.role === input.role && before.updated_at !== null) return before;
    const row = await updateRole(trx, orgId, before.user_id, input.role, ctx.clock.now());
    audit({ action: 'role.assign', resource: { type: 'user', id: row.user_id }, changes: { role: row.role } });
    return row;
  });
}

function targetOf({ user_id: userId, email }: SetRoleAssignment): { userId: string } | { email: string } {
  if (userId !== undefined && email === undefined) return { userId };
  if (email !== undefined && userId === undefined) return { email };
  throw fieldError('', (name) => `must have either ${name('/user_id')} or ${name('/email')}, not both.`);
}
