import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';

export async function readActorOrganization(db: Kysely<DB>, orgId: string) {
  return db
    .selectFrom('organizations')
    .select(['id', 'slug', 'name', 'state'])
    .where('id', '=', orgId)
    .executeTakeFirst();
}

export async function readActorMember(db: Kysely<DB>, orgId: string, userId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.name', 'u.email', 'm.permission', 'm.role'])
    .where('m.org_id', '=', orgId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst();
}

/** Returns the name of a service user that is not disabled. */
export async function readActorServiceUser(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .selectFrom('service_users')
    .select('name')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
}

export async function readActorApp(db: Kysely<DB>, orgId: string, id: string) {
  return db.selectFrom('apps').select('name').where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst();
}
