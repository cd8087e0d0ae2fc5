import { sql, type Insertable, type Transaction } from 'kysely';
import type { OrganizationState } from '../caller.ts';
import type { DB } from '../db/types.ts';
import { pendingRow, type NewOutboxEvent } from '../outbox/event.ts';

export type AuditRow = Insertable<DB['audit_entries']>;

/** An audit entry, and its domain event if others may follow it. */
export interface Act {
  entry: AuditRow;
  event?: NewOutboxEvent;
}

/** The organization of an entry, in its state when the entry is written. */
export interface EntryOrganization {
  slug: string;
  state: OrganizationState;
}

/** Inserts the entries and events of acts in one statement; returns their organizations, in no particular order. */
export async function insertActs(trx: Transaction<DB>, acts: readonly Act[]): Promise<EntryOrganization[]> {
  const organizations: EntryOrganization[] = [];
  for (let at = 0; at < acts.length; at += atOnce)
    organizations.push(...(await insertSome(trx, acts.slice(at, at + atOnce))));
  return organizations;
}

/** A statement has at most 65,535 parameters, and an act 21. */
const atOnce = 1_000;

async function insertSome(trx: Transaction<DB>, acts: readonly Act[]): Promise<EntryOrganization[]> {
  const entries = trx.insertInto('audit_entries').values(acts.map(({ entry }) => entry));
  const events = acts.flatMap(({ event }) => (event === undefined ? [] : [pendingRow(event)]));
  const published =
    events.length === 0 ? sql`` : sql`, published as (${trx.insertInto('outbox_pending').values(events)})`;
  const { rows: organizations } = await sql<EntryOrganization>`
    with written as (${entries.returning('org_id')})${published}
    select coalesce(o.slug, '') as slug, coalesce(o.state, 'active') as state
    from written w left join organizations o on o.id = w.org_id`.execute(trx);
  return organizations;
}
