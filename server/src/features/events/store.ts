import { sql, type Kysely } from 'kysely';
import { named, type Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';

/** An event of an organization, with its actor's name; `''` for one without a name. */
export interface EventRow {
  seq: number;
  type: string;
  resource_type: string;
  resource_id: string;
  actor_type: string;
  actor_id: string;
  actor_name: string;
  data: Record<string, unknown>;
  created_at: Date;
}

const columns = `e.seq, e.type, e.resource_type, e.resource_id, e.actor_type, e.actor_id, e.data, e.created_at,
  coalesce(case e.actor_type
    when 'user' then (select name from users where id = e.actor_id)
    when 'service_user' then (select name from service_users where id = e.actor_id)
    when 'app' then (select name from apps where id = e.actor_id)
  end, '') as actor_name`;

/** Returns up to `limit` events after a number, in order. */
export async function readEventsAfter(db: Database, orgId: string, seq: number, limit: number): Promise<EventRow[]> {
  return named<EventRow>(
    db,
    'organization_events_after',
    `select ${columns} from outbox_events e where e.org_id = $1 and e.seq > $2 order by e.seq limit $3`,
    [orgId, seq, limit],
  );
}

/** Returns the newest events, in order. */
export async function readNewestEvents(db: Database, orgId: string, limit: number): Promise<EventRow[]> {
  const rows = await named<EventRow>(
    db,
    'organization_events_newest',
    `select ${columns} from outbox_events e where e.org_id = $1 order by e.seq desc limit $2`,
    [orgId, limit],
  );
  return rows.toReversed();
}

/** Returns a member's permission; undefined if the user is not a member any more. */
export async function readPermission(db: Kysely<DB>, orgId: string, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('members')
    .select('permission')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.permission;
}

/** Returns the number of an organization's last event, 0 before the first. */
export async function readLastSeq(db: Kysely<DB>, orgId: string): Promise<number> {
  const row = await db
    .selectFrom('outbox_heads')
    .select(sql<number>`seq`.as('seq'))
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return row?.seq ?? 0;
}
