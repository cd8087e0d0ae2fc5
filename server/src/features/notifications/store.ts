import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { NotificationKind } from './choice.ts';

export type Channel = 'user_email' | 'user_slack' | 'email' | 'slack' | 'url';

/** The receiver of messages. */
export interface Receiver {
  org_id: string;
  channel: Channel;
  target: string;
}

/** Returns the members who started these sessions, with their preference. */
export async function readStarters(db: Kysely<DB>, sessionIds: readonly string[]) {
  return db
    .selectFrom('sessions as s')
    .innerJoin('members as m', (join) =>
      join.onRef('m.org_id', '=', 's.org_id').onRef('m.user_id', '=', 's.created_by_id'),
    )
    .innerJoin('preferences as p', (join) =>
      join.onRef('p.org_id', '=', 'm.org_id').onRef('p.user_id', '=', 'm.user_id').on('p.name', '=', 'notifications'),
    )
    .select(['s.id', 's.created_by_id as user_id', 'p.value'])
    .where('s.id', 'in', sessionIds)
    .where('s.created_by_type', '=', 'user')
    .execute();
}

/**
 * Returns those of these sessions whose last turn was only a round of following: what a git host said. A mention, which has no
 * commit, is a task of its own.
 */
export async function readRounds(db: Kysely<DB>, sessionIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with delivered as (
      select session_id, round, source, max(round) over (partition by session_id) as last from session_messages
      where session_id = any(${sessionIds}::text[]) and role = 'user' and state = 'delivered'
    )
    select m.session_id as id from delivered m where m.round = m.last
    group by m.session_id having bool_and(coalesce(m.source ->> 'head_sha', '') <> '')`.execute(db);
  return rows.map(({ id }) => id);
}

export async function readAdministrators(db: Kysely<DB>, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('permission', '=', 'admin')
    .orderBy('user_id')
    .limit(50)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Inserts notifications; one for the same receiver and resource replaces the one before, but keeps its time. */
export async function upsertNotifications(
  trx: Transaction<DB>,
  rows: readonly Omit<Insertable<DB['notifications']>, 'id'>[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += 500)
    await trx
      .insertInto('notifications')
      .values(rows.slice(at, at + 500))
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'channel', 'target', 'resource_id'])
          .doUpdateSet((eb) => ({ kind: eb.ref('excluded.kind') })),
      )
      .execute();
}

/** Returns the oldest notification of a receiver and its last message; undefined if nothing waits. */
export async function readWaiting(db: Kysely<DB>, { org_id, channel, target }: Receiver) {
  const { rows } = await sql<{ oldest: Date | null; sent_at: Date | null }>`
    select (select min(created_at) from notifications where org_id = ${org_id} and channel = ${channel} and target = ${target}) as oldest,
      (select sent_at from notification_receivers where org_id = ${org_id} and channel = ${channel} and target = ${target})`.execute(
    db,
  );
  const [row] = rows;
  return row === undefined || row.oldest === null ? undefined : { oldest: row.oldest, sentAt: row.sent_at };
}

/** A notification with the current state of its session or change request. */
export interface WaitingNotification {
  id: number;
  kind: NotificationKind;
  resource_id: string;
  /** `''` for other resources. */
  title: string;
  /** Of a session. */
  status: string;
  change: FollowedChange | null;
}

/** A change request that a session follows, or followed. */
export interface FollowedChange {
  repository_id: string;
  repo: string;
  number: number;
  state: string;
  follow_state: string;
  reason: string;
  /** True if the reason is the error of its session. */
  is_error: boolean;
}

/** Returns the notifications of a receiver, oldest first. */
export async function readNotifications(
  db: Kysely<DB>,
  { org_id, channel, target }: Receiver,
  limit: number,
): Promise<WaitingNotification[]> {
  const { rows } = await sql<WaitingNotification>`
    select n.id, n.kind, n.resource_id, coalesce(s.title, c.title, '') as title, coalesce(s.status, '') as status,
      case when f.change_request_id is not null then json_build_object(
        'repository_id', c.repository_id, 'repo', r.repo, 'number', c.number, 'state', c.state,
        'follow_state', f.state, 'reason', f.reason, 'is_error', o.error ->> 'message' is not distinct from f.reason) end as change
    from notifications n
    left join sessions s on s.id = n.resource_id and s.org_id = n.org_id
    left join change_requests c on c.id = n.resource_id and c.org_id = n.org_id
    left join repositories r on r.id = c.repository_id and r.deleted_at is null
    left join follows f on f.change_request_id = c.id and r.id is not null
    left join sessions o on o.id = f.session_id and o.org_id = n.org_id
    where n.org_id = ${org_id} and n.channel = ${channel} and n.target = ${target}
    order by n.id limit ${limit}`.execute(db);
  return rows;
}

/** Writes the time of a receiver's next message, if its last one is still the one `before`; else returns false. */
export async function takeTurn(
  db: Kysely<DB>,
  { org_id, channel, target }: Receiver,
  { before, now }: { before: Date | null; now: Date },
): Promise<boolean> {
  const taken = await db
    .insertInto('notification_receivers')
    .values({ org_id, channel, target, sent_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'channel', 'target'])
        .doUpdateSet({ sent_at: now })
        .where('notification_receivers.sent_at', '=', before),
    )
    .executeTakeFirst();
  return taken.numInsertedOrUpdatedRows === 1n;
}

/** Undoes {@link takeTurn}, for a message that could not be sent. */
export async function giveTurnBack(
  db: Kysely<DB>,
  { org_id, channel, target }: Receiver,
  { before, now }: { before: Date | null; now: Date },
): Promise<void> {
  const sentAt = before ?? new Date(0);
  await sql`update notification_receivers set sent_at = ${sentAt}
    where org_id = ${org_id} and channel = ${channel} and target = ${target} and sent_at = ${now}`.execute(db);
}

/** Deletes notifications that were sent, unless they were replaced meanwhile. */
export async function deleteSent(db: Kysely<DB>, sent: readonly WaitingNotification[]): Promise<void> {
  const [ids, kinds] = [sent.map(({ id }) => id), sent.map(({ kind }) => kind)];
  await sql`delete from notifications n using unnest(${ids}::bigint[], ${kinds}::text[]) as t (id, kind)
    where n.id = t.id and n.kind = t.kind`.execute(db);
}

/** Returns the verified e-mail of a member, with the preference; undefined for anyone else. */
export async function readMemberToTell(db: Kysely<DB>, orgId: string, userId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('preferences as p', (join) =>
      join.onRef('p.org_id', '=', 'm.org_id').onRef('p.user_id', '=', 'm.user_id').on('p.name', '=', 'notifications'),
    )
    .select(['u.email', 'u.email_verified_at', 'p.value', 'm.permission'])
    .where('m.org_id', '=', orgId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst();
}

/** Returns the name of an active organization. */
export async function readActiveName(db: Kysely<DB>, orgId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', orgId)
    .where('state', '=', 'active')
    .executeTakeFirst();
  return row?.name;
}

/** Deletes what nobody could be told, and times that matter no more. */
export async function deleteBefore(db: Kysely<DB>, before: Date): Promise<void> {
  await db.deleteFrom('notifications').where('created_at', '<', before).execute();
  await db.deleteFrom('notification_receivers').where('sent_at', '<', before).execute();
}
