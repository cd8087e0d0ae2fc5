import { sql, type Kysely, type Transaction } from 'kysely';
import type { Actor } from '../../../caller.ts';
import type { DB } from '../../../db/types.ts';
import type { LockedSession } from './transition-store.ts';
import { statusesOf } from './transitions.ts';

/** The maximum time that an organization's sessions wait for a message; 0 is forever. */
export interface Idleness {
  org_id: string;
  minutes: number;
}

/**
 * Locks sessions that have waited longer than their organization allows, oldest first. Pending approvals are exempt,
 * because they expire on their own.
 */
export async function lockIdle(
  trx: Transaction<DB>,
  { now, byDefault, changed, limit }: { now: Date; byDefault: number; changed: Idleness[]; limit: number },
): Promise<LockedSession[]> {
  const minutes = sql<number>`coalesce(o.minutes, ${byDefault}::float8)`;
  const { rows } = await sql<LockedSession>`
    select s.id, s.org_id, s.status, s.status_detail from sessions s
    left join unnest(${changed.map(({ org_id }) => org_id)}::text[], ${changed.map((one) => one.minutes)}::float8[])
      as o (org_id, minutes) on o.org_id = s.org_id
    where s.status = 'waiting' and s.status_detail <> 'awaiting_approval' and ${minutes} > 0
      and s.updated_at < ${now}::timestamptz - ${minutes} * interval '1 minute'
    order by s.updated_at limit ${limit} for update of s skip locked`.execute(trx);
  return rows;
}

/** Locks an organization's sessions that ended, and were not changed since an instant. */
export async function lockEnded(
  trx: Transaction<DB>,
  orgId: string,
  { since, firstIdSince, limit }: { since: Date; firstIdSince: string; limit: number },
): Promise<string[]> {
  const rows = await trx
    .selectFrom('sessions')
    .select('id')
    .where('org_id', '=', orgId)
    .where('archived', '=', false)
    // A newer session cannot be due; the index knows that by the id alone.
    .where('id', '<', firstIdSince)
    .where('status', 'in', ['completed', 'failed', 'canceled'])
    .where('updated_at', '<', since)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the ids of a principal's sessions that run or are about to, and that nobody asked to suspend. */
export async function listActiveOf(db: Kysely<DB>, orgId: string, creator: Pick<Actor['principal'], 'type' | 'id'>) {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('org_id', '=', orgId)
    .where('created_by_id', '=', creator.id)
    .where('created_by_type', '=', creator.type)
    .where('status', 'in', statusesOf('set_aside'))
    .where('suspend_requested', '=', false)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
