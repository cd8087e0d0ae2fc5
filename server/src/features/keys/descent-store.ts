import { sql, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** A key that another key created. */
export interface Descendant {
  id: string;
  org_id: string;
  principal_type: string;
  principal_id: string;
  audience: string;
}

/**
 * Returns the keys that a key created, recursively, without revoked ones, and without the key `exceptId` and what that created.
 */
export async function listDescendants(trx: Transaction<DB>, id: string, exceptId: string): Promise<Descendant[]> {
  const { rows } = await sql<Descendant>`
    with recursive made as (
      select id from api_keys where created_by_key = ${id} and id <> ${exceptId}
      union
      select k.id from made join api_keys k on k.created_by_key = made.id where k.id <> ${exceptId}
    )
    select k.id, k.org_id, k.principal_type, k.principal_id, k.audience
    from made join api_keys k on k.id = made.id where k.revoked_at is null order by k.id`.execute(trx);
  return rows;
}

/** Returns the organizations that a user administers. */
export async function listAdministered(trx: Transaction<DB>, userId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('members')
    .select('org_id')
    .where('user_id', '=', userId)
    .where('permission', '=', 'admin')
    .execute();
  return rows.map(({ org_id: orgId }) => orgId);
}

/** Revokes pending invitations that these keys created, in these organizations; returns them. */
export async function revokeInvitesMadeBy(
  trx: Transaction<DB>,
  keyIds: readonly string[],
  orgIds: readonly string[],
  now: Date,
) {
  if (orgIds.length === 0) return [];
  return trx
    .updateTable('invites')
    .set({ revoked_at: now })
    .where('created_by_key', 'in', keyIds)
    .where('org_id', 'in', orgIds)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning(['id', 'org_id', 'email'])
    .execute();
}
