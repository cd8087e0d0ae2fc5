import type { Kysely, Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** A person's tool token while it works; a row of the keys, because all that holds for a key holds for it. */
function activeTokens(db: Kysely<DB>, orgId: string, userId: string, now: Date) {
  return unrevokedTokens(db, orgId, userId).where('expires_at', '>', now);
}

function unrevokedTokens(db: Kysely<DB>, orgId: string, userId: string) {
  return db
    .selectFrom('api_keys')
    .select(['id', 'created_at', 'expires_at', 'last_used_at'])
    .where('org_id', '=', orgId)
    .where('principal_type', '=', 'user')
    .where('principal_id', '=', userId)
    .where('door', '=', 'mcp')
    .where('revoked_at', 'is', null);
}

export async function readActiveToken(db: Kysely<DB>, orgId: string, userId: string, now: Date) {
  return activeTokens(db, orgId, userId, now).executeTakeFirst();
}

export async function lockActiveToken(trx: Transaction<DB>, orgId: string, userId: string, now: Date) {
  return activeTokens(trx, orgId, userId, now).forUpdate().executeTakeFirst();
}

/** The one that a new token replaces, also when it ran out. */
export async function lockToken(trx: Transaction<DB>, orgId: string, userId: string) {
  return unrevokedTokens(trx, orgId, userId).forUpdate().executeTakeFirst();
}

/**
 * Makes those who issue a token for the same person wait for one another, and for who takes the person out of the
 * organization. False for somebody who is no member, or no more.
 */
export async function lockMembership(trx: Transaction<DB>, orgId: string, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}
