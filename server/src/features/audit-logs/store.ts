import type { Insertable, Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

export type AuditRow = Insertable<DB['audit_entries']>;

export async function insertAuditEntries(trx: Transaction<DB>, rows: AuditRow[]): Promise<void> {
  if (rows.length > 0) await trx.insertInto('audit_entries').values(rows).execute();
}
