import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import type { Permission } from '../../lib/scopes.ts';

export type InviteState = 'pending' | 'accepted' | 'expired' | 'revoked';

function shown(now: Date) {
  return [
    'id' as const,
    'email' as const,
    sql<Permission>`permission`.as('permission'),
    'created_at' as const,
    'expires_at' as const,
    sql<InviteState>`case when accepted_at is not null then 'accepted' when revoked_at is not null then 'revoked'
      when expires_at <= ${now} then 'expired' else 'pending' end`.as('state'),
  ] as const;
}

export function invitesQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('invites').where('org_id', '=', orgId);
}

export async function listInviteRows(
  query: ReturnType<typeof invitesQuery>,
  now: Date,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown(now)), after, limit).execute();
}

/** Returns an invitation and locks it until the transaction ends. */
export async function lockInvite(trx: Transaction<DB>, orgId: string, id: string, now: Date) {
  return invitesQuery(trx, orgId).select(shown(now)).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Returns the pending invitation for this address, compared case-insensitively. */
export async function readPendingInvite(trx: Transaction<DB>, orgId: string, email: string, now: Date) {
  return invitesQuery(trx, orgId)
    .select(shown(now))
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Serializes invitations to one organization, so that nobody is invited twice. */
export async function lockInviting(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`invites ${orgId}`}, 0))`.execute(trx);
}

export async function insertInvite(trx: Transaction<DB>, row: Insertable<DB['invites']>): Promise<void> {
  await trx.insertInto('invites').values(row).execute();
}

/** Tells if a user with this e-mail, other than `exceptId`, is a member. */
export async function isMemberByEmail(
  trx: Transaction<DB>,
  orgId: string,
  email: string,
  exceptId = '',
): Promise<boolean> {
  const row = await trx
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.id')
    .where('members.org_id', '=', orgId)
    .where(sql`lower(users.email)`, '=', email.toLowerCase())
    .where('users.id', '<>', exceptId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateInvite(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change:
    | { revoked_at: Date }
    | { accepted_at: Date }
    | { token_hash: string; expires_at: Date; mailed: boolean; created_by_key: string | null },
): Promise<void> {
  await trx.updateTable('invites').set(change).where('org_id', '=', orgId).where('id', '=', id).execute();
}

function withOrganization(db: Kysely<DB>) {
  return db
    .selectFrom('invites')
    .innerJoin('organizations', 'organizations.id', 'invites.org_id')
    .select([
      'invites.id',
      'invites.org_id',
      'invites.email',
      'invites.token_hash',
      'invites.expires_at',
      'invites.mailed',
      sql<Permission>`invites.permission`.as('permission'),
      'organizations.slug as org_slug',
      'organizations.name as org_name',
    ])
    .where('invites.accepted_at', 'is', null)
    .where('invites.revoked_at', 'is', null);
}

/** Returns an invitation that can be accepted, by the hash of its token. */
export async function readOpenInvite(db: Kysely<DB>, hash: string, now: Date) {
  return withOrganization(db)
    .where('invites.token_hash', '=', hash)
    .where('invites.expires_at', '>', now)
    .where('organizations.state', '=', 'active')
    .executeTakeFirst();
}

/** Like {@link readOpenInvite}, and locks it until the transaction ends: of two concurrent requests the second finds it used. */
export async function lockOpenInvite(trx: Transaction<DB>, hash: string, now: Date) {
  await trx.selectFrom('invites').select('id').where('token_hash', '=', hash).forUpdate().execute();
  return readOpenInvite(trx, hash, now);
}

/** Returns an invitation whose mail is pending. */
export async function readInviteToMail(db: Kysely<DB>, id: string, now: Date) {
  return withOrganization(db).where('invites.id', '=', id).where('invites.expires_at', '>', now).executeTakeFirst();
}

/** Adds a member; false if the user already is one. */
export async function insertMemberIfNone(trx: Transaction<DB>, row: Insertable<DB['members']>): Promise<boolean> {
  const inserted = await trx
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return inserted !== undefined;
}
