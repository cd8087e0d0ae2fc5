import type { Insertable, Kysely, Transaction } from 'kysely';
import type { OrganizationState, PrincipalType } from '../../../caller.ts';
import type { DB } from '../../../db/types.ts';

export async function insertToken(trx: Transaction<DB>, row: Insertable<DB['automation_run_tokens']>): Promise<void> {
  await trx.insertInto('automation_run_tokens').values(row).execute();
}

export interface TokenRow {
  id: string;
  org_id: string;
  org_slug: string;
  org_name: string;
  org_state: OrganizationState;
  principal_type: PrincipalType;
  principal_id: string;
  principal_name: string;
  last4: string;
  created_at: Date;
}

export async function findTokenByHash(db: Kysely<DB>, hash: string): Promise<TokenRow | undefined> {
  return db
    .selectFrom('automation_run_tokens as t')
    .innerJoin('organizations as o', 'o.id', 't.org_id')
    .select([
      't.id',
      't.org_id',
      'o.slug as org_slug',
      'o.name as org_name',
      'o.state as org_state',
      't.principal_type',
      't.principal_id',
      't.principal_name',
      't.last4',
      't.created_at',
    ])
    .where('t.hash', '=', hash)
    .executeTakeFirst();
}

/** Returns the attempt that a token belongs to. */
export async function readTokenAttempt(db: Kysely<DB>, id: string) {
  return db
    .selectFrom('automation_run_tokens')
    .select(['run_id', 'fencing_token', 'attempt_no'])
    .where('id', '=', id)
    .executeTakeFirst();
}
