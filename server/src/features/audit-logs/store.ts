import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

export interface AuditRow {
  id: string;
  org_id: string;
  action: string;
  actor_type: string;
  actor_id: string;
  actor_display: string;
  resource_type: string;
  resource_id: string;
  outcome: 'success' | 'denied' | 'error';
  ip: string;
  user_agent: string;
  request_id: string;
  changes: string;
  created_at: Date;
}

export async function insertAuditEntries(trx: Transaction<DB>, rows: AuditRow[]): Promise<void> {
  if (rows.length > 0) await trx.insertInto('audit_entries').values(rows).execute();
}
