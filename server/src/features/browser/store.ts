import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import type { Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';

/** True if the worker is alive; workers report every 3 s. */
const alive = sql<boolean>`coalesce(w.seen_at > now() - interval '10 seconds' and w.gone_at is null, false)`;

export interface Places {
  /** The number of the organization's open browsers. */
  ofOrganization: number;
  /** The live workers, those with the most free slots first. */
  workers: { id: string; slots: number; open: number; problem: string }[];
}

/** Counts browsers, serialized until the transaction ends. */
export async function countPlaces(trx: Transaction<DB>, orgId: string, now: Date): Promise<Places> {
  await sql`select pg_advisory_xact_lock(hashtextextended('browser_sessions', 0))`.execute(trx);
  const { rows } = await sql<Places['workers'][number] & { own: number }>`
    select w.id, w.browser_slots as slots, w.browser_problem as problem, count(b.id)::int as open,
           (count(b.id) filter (where b.org_id = ${orgId}))::int as own
    from workers w
    left join browser_sessions b on b.worker = w.id and b.ended_at is null and b.expires_at > ${now}
    where ${alive} and not w.draining
    group by w.id
    order by w.browser_slots - count(b.id) desc, w.id`.execute(trx);
  return { ofOrganization: rows.reduce((sum, { own }) => sum + own, 0), workers: rows };
}

export async function insertBrowserSession(
  trx: Transaction<DB>,
  row: Insertable<DB['browser_sessions']>,
): Promise<void> {
  await trx.insertInto('browser_sessions').values(row).execute();
}

/** Marks a browser as running; false if it was ended in the meantime. */
export async function markOpened(trx: Transaction<DB>, id: string, page: PageRow & { now: Date }): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('browser_sessions')
    .set({ opened_at: page.now, url: page.url, title: page.title })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export interface PageRow {
  url: string;
  title: string;
}

/** Updates the current page. */
export async function updatePage(trx: Transaction<DB>, id: string, { url, title }: PageRow): Promise<void> {
  await trx.updateTable('browser_sessions').set({ url, title }).where('id', '=', id).execute();
}

export interface BrowserSessionRow extends PageRow {
  id: string;
  worker: string;
  session_id: string | null;
  created_at: Date;
  expires_at: Date;
  /** True if its worker is alive. */
  alive: boolean;
}

/** Returns a session that is open according to its row. */
export async function readBrowserSession(
  db: Kysely<DB>,
  orgId: string,
  id: string,
  now: Date,
): Promise<BrowserSessionRow | undefined> {
  return db
    .selectFrom('browser_sessions as b')
    .leftJoin('workers as w', 'w.id', 'b.worker')
    .select(['b.id', 'b.worker', 'b.session_id', 'b.url', 'b.title', 'b.created_at', 'b.expires_at', alive.as('alive')])
    .where('b.org_id', '=', orgId)
    .where('b.id', '=', id)
    .where('b.opened_at', 'is not', null)
    .where('b.ended_at', 'is', null)
    .where('b.expires_at', '>', now)
    .executeTakeFirst();
}

/** Returns the reason why a session's browser ended by itself; `''` for none. */
export async function readProblem(db: Kysely<DB>, orgId: string, id: string): Promise<string> {
  const query = db.selectFrom('browser_sessions').select('problem').where('org_id', '=', orgId).where('id', '=', id);
  return (await query.executeTakeFirst())?.problem ?? '';
}

/** Ends sessions and notifies their worker; returns those that were still open. `problem` is for their users. */
export async function endBrowserSessions(
  db: Kysely<DB> | Transaction<DB>,
  ids: readonly string[],
  now: Date,
  problem = '',
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ended as (
      update browser_sessions set ended_at = ${now}, url = '', title = '', problem = ${problem}
      where id = any(${ids}) and ended_at is null returning id)
    select id, pg_notify('guildhall_browsers', id) from ended`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Returns the sessions that a worker must still run: not ended, in an active organization, of a principal that still
 * exists.
 */
export async function listRunnable(
  db: Kysely<DB>,
  worker: string,
  now: Date,
): Promise<{ id: string; opened: boolean; created_at: Date }[]> {
  const { rows } = await sql<{ id: string; opened: boolean; created_at: Date }>`
    select b.id, b.opened_at is not null as opened, b.created_at
    from browser_sessions b
    join organizations o on o.id = b.org_id and o.state = 'active'
    left join sessions s on s.id = b.session_id
    where b.worker = ${worker} and b.ended_at is null and b.expires_at > ${now}
      and (s.id is null or (not s.archived and s.status <> 'canceled'))
      and case b.created_by_type
        when 'user' then exists (select from members m where m.org_id = b.org_id and m.user_id = b.created_by_id)
        when 'service_user' then exists (select from service_users u where u.id = b.created_by_id and u.disabled_at is null)
        when 'app' then exists (select from apps a where a.id = b.created_by_id)
        else true end`.execute(db);
  return rows;
}

/** Returns the ids of a worker's open sessions. */
export async function listOpenOf(db: Kysely<DB>, worker: string): Promise<string[]> {
  const rows = await db
    .selectFrom('browser_sessions')
    .select('id')
    .where('worker', '=', worker)
    .where('ended_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Updates the slots of a registered worker. */
export async function writeBrowserSlots(
  db: Kysely<DB>,
  worker: string,
  { slots, problem }: { slots: number; problem: string },
): Promise<void> {
  await db
    .updateTable('workers')
    .set({ browser_slots: slots, browser_problem: problem })
    .where('id', '=', worker)
    .where((eb) => eb.or([eb('browser_slots', '<>', slots), eb('browser_problem', '<>', problem)]))
    .execute();
}

/** Ends the sessions of lost workers, and deletes those that ended a day ago. */
export async function reapBrowserSessions(db: Database, now: Date): Promise<void> {
  const lost = await sql<{ id: string }>`
    select b.id from browser_sessions b left join workers w on w.id = b.worker
    where b.ended_at is null and (b.expires_at < ${now} or not ${alive})`.execute(db.kysely);
  await endBrowserSessions(
    db.kysely,
    lost.rows.map(({ id }) => id),
    now,
  );
  await db.kysely
    .deleteFrom('browser_sessions')
    .where('ended_at', '<', new Date(now.getTime() - 24 * 3_600_000))
    .execute();
}
