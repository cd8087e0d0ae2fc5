import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import { containing } from '../../db/pattern.ts';
import type { Permission } from '../../lib/scopes.ts';

const shown = [
  'id',
  'user_id',
  'email',
  'name',
  'permission',
  'role',
  'source',
  'joined_at',
  'last_active_at',
] as const;

/** Selects the members of an organization. Their `id` in the list sorts by when they joined, to the microsecond. */
export function membersQuery(
  db: Kysely<DB>,
  orgId: string,
  filter: { search?: string | undefined; permissions?: readonly Permission[]; groupId?: string } = {},
) {
  const { search, permissions = [], groupId } = filter;
  const members = db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select([
      sql<string>`to_char((extract(epoch from members.joined_at) * 1000000)::bigint, 'FM0000000000000000')
        || '_' || members.user_id`.as('id'),
      'members.user_id',
      'users.email',
      'users.name',
      'members.permission',
      'members.role',
      'members.source',
      'members.joined_at',
      sql<Date | null>`greatest(members.last_active_at, (
        select max(last_used_at) from api_keys
        where org_id = members.org_id and principal_type = 'user' and principal_id = members.user_id))`.as(
        'last_active_at',
      ),
    ])
    .where('members.org_id', '=', orgId)
    .$if(permissions.length > 0, (query) => query.where('members.permission', 'in', permissions))
    .$if(groupId !== undefined, (query) =>
      query.where('members.user_id', 'in', (eb) =>
        eb
          .selectFrom('group_members')
          .select('group_members.user_id')
          .where('group_id', '=', groupId ?? ''),
      ),
    )
    .$if(search !== undefined, (query) => {
      const pattern = containing(search ?? '');
      return query.where((eb) => eb.or([eb('users.name', 'ilike', pattern), eb('users.email', 'ilike', pattern)]));
    });
  return db.selectFrom(members.as('found'));
}

export async function listMemberRows(query: ReturnType<typeof membersQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readMember(db: Kysely<DB>, orgId: string, userId: string) {
  return membersQuery(db, orgId).select(shown).where('user_id', '=', userId).executeTakeFirst();
}

/**
 * Returns the administrators and locks them until the transaction ends: if two concurrently demote each other, the second one
 * sees the first change.
 */
export async function lockAdmins(trx: Transaction<DB>, orgId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('permission', '=', 'admin')
    .orderBy('user_id')
    .forUpdate()
    .execute();
  return rows.map((row) => row.user_id);
}

/** Locks a membership until the transaction ends. */
export async function lockMember(trx: Transaction<DB>, orgId: string, userId: string): Promise<void> {
  await trx
    .selectFrom('members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .forUpdate()
    .execute();
}

export async function updatePermission(
  trx: Transaction<DB>,
  orgId: string,
  userId: string,
  permission: Permission,
): Promise<void> {
  await trx
    .updateTable('members')
    .set({ permission })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute();
}

export async function insertMember(trx: Transaction<DB>, row: Insertable<DB['members']>): Promise<void> {
  await trx.insertInto('members').values(row).execute();
}

/** Returns false if the user is not a member. */
export async function deleteMemberRow(trx: Transaction<DB>, orgId: string, userId: string): Promise<boolean> {
  const row = await trx
    .deleteFrom('members')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}
