import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** An account with its e-mail; `hash` is null without a password. */
export interface Account {
  id: string;
  email: string;
  name: string;
  hash: string | null;
}

function accounts(db: Kysely<DB>) {
  return db
    .selectFrom('users')
    .leftJoin('user_passwords', 'user_passwords.user_id', 'users.id')
    .select(['users.id', 'users.email', 'users.name', 'user_passwords.hash']);
}

/**
 * Returns the accounts with an e-mail, case-insensitively: its owner first, then those that can sign in, oldest first, so that
 * newcomers cannot push anyone out of the first `limit`. `organization`, an id or a slug, selects its members; `''` selects all.
 */
export async function readAccounts(
  db: Kysely<DB>,
  email: string,
  limit: number,
  organization = '',
): Promise<Account[]> {
  const isMember = sql<boolean>`exists (
    select 1 from members m join organizations o on o.id = m.org_id
    where m.user_id = users.id and (${organization} in ('', o.id, o.slug)
      or exists (select 1 from retired_slugs r
        where r.slug = ${organization} and r.org_id = o.id and r.expires_at > now())))`;
  return accounts(db)
    .where(sql`lower(users.email)`, '=', email.toLowerCase())
    .$if(organization !== '', (query) => query.where(isMember))
    .orderBy(sql`users.email_verified_at is null`)
    .orderBy(sql`user_passwords.hash is null`)
    .orderBy(sql`not ${isMember}`)
    .orderBy('users.created_at')
    .orderBy('users.id')
    .limit(limit)
    .execute();
}

/** Returns those of the accounts whose user signed in from this address and has not signed out. */
export async function readAccountsKnownAt(
  db: Kysely<DB>,
  userIds: readonly string[],
  ip: string,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('sign_ins')
    .select('user_id')
    .distinct()
    .where('user_id', 'in', userIds.length === 0 ? [''] : userIds)
    .where('ip', '=', ip)
    .execute();
  return new Set(rows.map(({ user_id: id }) => id));
}

/** Returns the owner of an e-mail; undefined while no account has verified it. */
export async function readOwner(db: Kysely<DB>, email: string): Promise<Account | undefined> {
  return accounts(db)
    .where(sql`lower(users.email)`, '=', email.toLowerCase())
    .where('users.email_verified_at', 'is not', null)
    .executeTakeFirst();
}

/** Makes an account the owner of its e-mail, serialized; false if the e-mail already has an owner. */
export async function claimEmail(trx: Transaction<DB>, userId: string, email: string, now: Date): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`e-mail ${email.toLowerCase()}`}, 0))`.execute(trx);
  const row = await trx
    .updateTable('users')
    .set({ email_verified_at: now })
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('users as owner')
            .select('owner.id')
            .where(sql`lower(owner.email)`, '=', email.toLowerCase())
            .where('owner.email_verified_at', 'is not', null),
        ),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
