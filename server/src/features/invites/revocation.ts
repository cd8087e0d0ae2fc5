import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { revokeInvitesMadeBy } from './store.ts';

/** Takes back the invites that these keys made and that wait, in these organizations; answers which. */
export async function revokeInvitesOf(
  trx: Transaction<DB>,
  keyIds: readonly string[],
  orgIds: readonly string[],
  now: Date,
): Promise<{ id: string; org_id: string; email: string }[]> {
  return orgIds.length === 0 ? [] : revokeInvitesMadeBy(trx, keyIds, orgIds, now);
}
