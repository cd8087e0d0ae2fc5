import { sql, type Insertable, type Transaction } from 'kysely';
import type { OrganizationState } from '../caller.ts';
import type { DB } from '../db/types.ts';

export type AuditRow = Insertable<DB['audit_entries']>;

/** The organization of an entry, as it is when the entry is written. */
export interface EntryOrganization {
  slug: string;
  state: OrganizationState;
}

/** Answers the organizations that the entries are of, in no order. */
export async function insertAuditEntries(trx: Transaction<DB>, rows: AuditRow[]): Promise<EntryOrganization[]> {
  const organizations: EntryOrganization[] = [];
  for (let at = 0; at < rows.length; at += atOnce)
    organizations.push(...(await insertSome(trx, rows.slice(at, at + atOnce))));
  return organizations;
}

/** A statement has at most 65,535 parameters, and an entry 14. */
const atOnce = 1_000;

async function insertSome(trx: Transaction<DB>, rows: AuditRow[]): Promise<EntryOrganization[]> {
  const { rows: organizations } = await sql<EntryOrganization>`
    with written as (${trx.insertInto('audit_entries').values(rows).returning('org_id')})
    select coalesce(o.slug, '') as slug, coalesce(o.state, 'active') as state
    from written w left join organizations o on o.id = w.org_id`.execute(trx);
  return organizations;
}
