import { sql } from 'kysely';
import type { Database } from '../../db/pool.ts';

/** The refusals of one key within one minute. */
export interface RefusalRow {
  key_id: string;
  minute: Date;
  outcome: 'denied' | 'error';
  id: string;
  org_id: string;
  actor_type: string;
  actor_id: string;
  actor_display: string;
  ip: string;
  user_agent: string;
  request_id: string;
  request: string;
  count: number;
  /** Their number by error code. */
  codes: Record<string, number>;
  created_at: Date;
  last_at: Date;
}

/** Adds to the counts of other processes for the same keys and minutes; the facts of the first refusal stay. */
export async function countRefusals(db: Database, rows: readonly RefusalRow[]): Promise<void> {
  // Sorted, so that processes cannot deadlock.
  const sorted = rows.toSorted((one, other) => (one.key_id < other.key_id ? -1 : 1));
  await sql`
    insert into audit_refusals as r
    select * from jsonb_populate_recordset(null::audit_refusals, ${JSON.stringify(sorted)}::jsonb)
    on conflict (key_id, minute, outcome) do update
      set count = r.count + excluded.count, codes = add_counts(r.codes, excluded.codes),
          last_at = greatest(r.last_at, excluded.last_at)`.execute(db.kysely);
}

/** Turns minutes that began before an instant into entries, each of them once, even if several processes do so. */
export async function closeRefusals(db: Database, before: Date): Promise<void> {
  await sql`
    with closed as (
      delete from audit_refusals where minute < ${before} returning *
    )
    insert into audit_entries (id, org_id, action, actor_type, actor_id, actor_display, resource_type, resource_id, outcome,
                               ip, user_agent, request_id, changes, created_at)
    select r.id, r.org_id, refusal_action(r.outcome), r.actor_type, r.actor_id, r.actor_display, 'key', r.key_id, r.outcome,
           r.ip, r.user_agent, r.request_id,
           jsonb_build_object('count', r.count, 'codes', r.codes, 'request', r.request,
             'last_at', to_char(r.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), r.created_at
    from closed r`.execute(db.kysely);
}
