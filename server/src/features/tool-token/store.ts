import type { Kysely, Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** Selects a user's valid tool token. It is a row of the keys, because all rules for keys apply. */
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
    .where('audience', '=', 'mcp')
    .where('revoked_at', 'is', null);
}

export async function readActiveToken(db: Kysely<DB>, orgId: string, userId: string, now: Date) {
  return activeTokens(db, orgId, userId, now).executeTakeFirst();
}

export async function lockActiveToken(trx: Transaction<DB>, orgId: string, userId: string, now: Date) {
  return activeTokens(trx, orgId, userId, now).forUpdate().executeTakeFirst();
}

/** Returns and locks the token that a new one replaces, even if it has expired. */
export async function lockToken(trx: Transaction<DB>, orgId: string, userId: string) {
  return unrevokedTokens(trx, orgId, userId).forUpdate().executeTakeFirst();
}

/**
 * Locks a membership, which serializes issuing tokens and removing the member. Returns false for a user who is not a
 * member.
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
