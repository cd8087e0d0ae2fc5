import { sql, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import type { Role } from '../../lib/scopes.ts';

const shown = ['id', 'user_id', 'role', 'updated_at'] as const;

/** Selects the roles of an organization's members, by user id. */
export function rolesQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom(
    db
      .selectFrom('members')
      .select(['user_id as id', 'user_id', 'role', 'role_updated_at as updated_at'])
      .where('org_id', '=', orgId)
      .as('role_assignments'),
  );
}

export async function listRoleRows(query: ReturnType<typeof rolesQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readRole(db: Kysely<DB>, orgId: string, userId: string) {
  return rolesQuery(db, orgId).select(shown).where('user_id', '=', userId).executeTakeFirst();
}

/** Locks the role of a member, named by id or e-mail, until the transaction ends. Undefined if the user is not a member. */
export async function lockRole(trx: Transaction<DB>, orgId: string, target: { userId: string } | { email: string }) {
  return trx
    .selectFrom('members')
    .select(['user_id', 'role', 'role_updated_at as updated_at'])
    .where('org_id', '=', orgId)
    .where((eb) =>
      'userId' in target
        ? eb('user_id', '=', target.userId)
        : eb(
            'user_id',
            '=',
            eb
              .selectFrom('users')
              .innerJoin('members as bearer', 'bearer.user_id', 'users.id')
              .select('users.id')
              .where('bearer.org_id', '=', orgId)
              .where(sql`lower(users.email)`, '=', sql`lower(${target.email})`)
              // Prefers the e-mail's owner if several members have it.
              .orderBy(sql`users.email_verified_at is null`)
              .orderBy('users.created_at')
              .limit(1),
          ),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Sets a member's role. */
export async function updateRole(trx: Transaction<DB>, orgId: string, userId: string, role: Role, now: Date) {
  return trx
    .updateTable('members')
    .set({ role, role_updated_at: now })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returning(['user_id', 'role', 'role_updated_at as updated_at'])
    .executeTakeFirstOrThrow();
}
