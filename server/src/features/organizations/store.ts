import { sql, type Kysely, type Transaction, type Insertable, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import type { Permission } from '../../lib/scopes.ts';

const shown = ['id', 'slug', 'name', 'state', 'created_at', 'updated_at'] as const;

/** Selects the organizations of a user, or the one of any other principal's key. */
export function organizationsQuery(db: Kysely<DB>, of: { userId: string } | { orgId: string }) {
  return 'orgId' in of
    ? db.selectFrom('organizations').where('id', '=', of.orgId)
    : db
        .selectFrom('organizations')
        .where('id', 'in', db.selectFrom('members').select('org_id').where('user_id', '=', of.userId));
}

export async function listOrganizationRows(
  query: ReturnType<typeof organizationsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readOrganization(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('organizations').select(shown).where('id', '=', orgId).executeTakeFirst();
}

export async function readOrganizationByName(db: Kysely<DB>, organization: string) {
  return db
    .selectFrom('organizations')
    .select(['id', 'state'])
    .where((eb) => eb.or([eb('id', '=', organization), eb('slug', '=', organization)]))
    .executeTakeFirst();
}

/** Serializes the first start: one of several processes creates the first organization. */
export async function lockFirstStart(trx: Transaction<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('guildhall first start'))`.execute(trx);
}

/** Returns the slug of the oldest organization; `''` before the first start is complete. */
export async function firstSlug(db: Kysely<DB>): Promise<string> {
  const row = await db.selectFrom('organizations').select('slug').orderBy('id').limit(1).executeTakeFirst();
  return row?.slug ?? '';
}

/** Tells if a slug is free for `orgId`: no other organization has it, and none gave it up less than 90 days ago. */
export async function slugIsFree(trx: Transaction<DB>, slug: string, orgId: string): Promise<boolean> {
  // Locked until the transaction ends, so that two requests cannot take the same slug.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`slug ${slug}`}, 0))`.execute(trx);
  const result = await sql<{ taken: boolean }>`
    select exists (select 1 from organizations where slug = ${slug} and id <> ${orgId})
        or exists (select 1 from retired_slugs where slug = ${slug} and org_id <> ${orgId} and expires_at > now()) as taken`.execute(
    trx,
  );
  return result.rows[0]?.taken === false;
}

export async function insertOrganization(trx: Transaction<DB>, row: Insertable<DB['organizations']>) {
  return trx.insertInto('organizations').values(row).returning(shown).executeTakeFirstOrThrow();
}

/**
 * Returns the organization's row and locks it until the transaction ends: transactions that add rows referencing it wait, and
 * uncommitted ones are waited for.
 */
export async function lockOrganization(trx: Transaction<DB>, organization: string) {
  return trx
    .selectFrom('organizations')
    .select([...shown, 'deleted_at'])
    .where((eb) => eb.or([eb('id', '=', organization), eb('slug', '=', organization)]))
    .forUpdate()
    .executeTakeFirst();
}

export async function updateOrganizationRow(
  trx: Transaction<DB>,
  orgId: string,
  change: Updateable<DB['organizations']>,
) {
  return trx.updateTable('organizations').set(change).where('id', '=', orgId).returning(shown).executeTakeFirst();
}

export async function retireSlug(trx: Transaction<DB>, slug: string, orgId: string, expiresAt: Date): Promise<void> {
  await trx
    .insertInto('retired_slugs')
    .values({ slug, org_id: orgId, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet({ org_id: orgId, expires_at: expiresAt }))
    .execute();
}

export async function dropRetiredSlug(trx: Transaction<DB>, slug: string): Promise<void> {
  await trx.deleteFrom('retired_slugs').where('slug', '=', slug).execute();
}

/** Tells if the organization gave this slug up less than 90 days ago. */
export async function readsRetiredSlug(db: Kysely<DB>, orgId: string, slug: string): Promise<boolean> {
  const row = await db
    .selectFrom('retired_slugs')
    .select('slug')
    .where('slug', '=', slug)
    .where('org_id', '=', orgId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts the organizations that a user created and still belongs to. Serialized per user until the transaction ends. */
export async function lockMadeOrganizations(trx: Transaction<DB>, userId: string): Promise<number> {
  await trx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
  const row = await trx
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<string>().as('made'))
    .where('user_id', '=', userId)
    .where('source', '=', 'direct')
    .executeTakeFirstOrThrow();
  return Number(row.made);
}

/** Returns the owner of an e-mail; other accounts with the e-mail may be someone else's. */
export async function readOwnerId(db: Kysely<DB>, email: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('email_verified_at', 'is not', null)
    .executeTakeFirst();
  return row?.id;
}

export async function insertUser(trx: Transaction<DB>, row: Insertable<DB['users']>) {
  await trx.insertInto('users').values(row).execute();
}

export async function insertMember(trx: Transaction<DB>, row: Insertable<DB['members']>): Promise<void> {
  await trx.insertInto('members').values(row).execute();
}

/** Returns a user's membership in the organization with this id or slug. */
export async function readMembership(db: Kysely<DB>, userId: string, organization: string) {
  return db
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.org_id')
    .select(['members.org_id', sql<Permission>`members.permission`.as('permission')])
    .where('members.user_id', '=', userId)
    .where((eb) => eb.or([eb('organizations.id', '=', organization), eb('organizations.slug', '=', organization)]))
    .executeTakeFirst();
}

/** Returns up to `limit` organizations of a user with their permission there, newest first. */
export async function listMemberships(db: Kysely<DB>, userId: string, limit: number) {
  return db
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.org_id')
    .select(['organizations.id', 'organizations.slug', 'organizations.name', 'members.permission'])
    .$narrowType<{ permission: Permission }>()
    .where('members.user_id', '=', userId)
    .orderBy('organizations.id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns a member by e-mail, case-insensitively, in the organization with this id or slug; of several the e-mail's owner. */
export async function readMemberByEmail(db: Kysely<DB>, email: string, organization: string) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .innerJoin('organizations', 'organizations.id', 'members.org_id')
    .select(['members.org_id', 'members.user_id'])
    .where(sql`lower(users.email)`, '=', email.toLowerCase())
    .where((eb) => eb.or([eb('organizations.id', '=', organization), eb('organizations.slug', '=', organization)]))
    .orderBy(sql`users.email_verified_at is null`)
    .orderBy('users.created_at')
    .executeTakeFirst();
}

/** Makes the open streams of an organization recheck their access. */
export async function notifyStreams(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select pg_notify('guildhall_ip_lists', ${orgId})`.execute(trx);
}
