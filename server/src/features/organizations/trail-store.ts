import { sql, type Kysely, type Transaction } from 'kysely';
import type { Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';

/** The tables that only the purge may delete from, ordered so that no link loses its entry. */
const guarded = ['audit_chain', 'audit_entries', 'audit_heads'] as const;
const open = ['audit_pending', 'audit_refusals'] as const;
const batch = 5_000;

/** Deletes the organization's audit log in batches. */
export async function deleteTrail(db: Database, orgId: string): Promise<void> {
  for (const table of open) await inBatches(db, orgId, table, async () => undefined);
  for (const table of guarded) await inBatches(db, orgId, table, (trx) => becomePurge(trx, orgId));
}

async function inBatches(
  db: Database,
  orgId: string,
  table: (typeof guarded | typeof open)[number],
  prepare: (trx: Transaction<DB>) => Promise<void>,
): Promise<void> {
  for (;;) {
    const removed = await db.transaction(async (trx) => {
      await prepare(trx);
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)}
        where ctid = any(array(select ctid from ${sql.table(table)} where org_id = ${orgId} limit ${batch}))`.execute(
        trx,
      );
      return Number(numAffectedRows ?? 0n);
    });
    if (removed < batch) return;
  }
}

/** Gives the transaction the purge's privileges: by its role, or by a setting if the role does not exist. */
async function becomePurge(trx: Transaction<DB>, orgId: string): Promise<void> {
  const { rows } = await sql<{ role: boolean }>`select has_purge_role() as role`.execute(trx);
  await (rows[0]?.role === true
    ? sql`set local role guildhall_purge`.execute(trx)
    : sql`select set_config('guildhall.purge', ${orgId}, true)`.execute(trx));
}

/** Returns deleted organizations that still have audit entries, written while they were purged. */
export async function listOrphans(db: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    select org_id from (select org_id from audit_heads union select org_id from audit_refusals) as known
    where not exists (select from organizations o where o.id = known.org_id)`.execute(db);
  return rows.map(({ org_id }) => org_id);
}
