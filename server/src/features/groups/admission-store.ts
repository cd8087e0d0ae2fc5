import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** A day of a group. */
export interface GroupDay {
  groupId: string;
  /** `YYYY-MM-DD` */
  day: string;
}

/** A group's day: its limits, null for none, and how much of each is used and reserved. */
export interface Account extends GroupDay {
  name: string;
  timezone: string;
  max: { sessions: number | null; tokens: number | null; cost_usd: number | null; sandbox_seconds: number | null };
  held: { sessions: number; tokens: number; cost_usd: number; sandbox_seconds: number };
}

/** Returns the groups of a user, and locks them and their limits until the transaction ends. */
export async function readGroupsOf(trx: Transaction<DB>, orgId: string, personId: string) {
  return trx
    .selectFrom('groups')
    .innerJoin('group_members', 'group_members.group_id', 'groups.id')
    .select(['groups.id', 'groups.timezone', 'groups.on_exceed'])
    .where('group_members.org_id', '=', orgId)
    .where('group_members.user_id', '=', personId)
    .orderBy('groups.id')
    .forShare('groups')
    .execute();
}

/** Creates missing days of locked groups. */
export async function beginDays(trx: Transaction<DB>, days: readonly GroupDay[]): Promise<void> {
  if (days.length === 0) return;
  await sql`insert into group_days (group_id, day) select group_id, day from ${asked(days)} order by group_id, day
    on conflict do nothing`.execute(trx);
}

/**
 * Locks days of groups until the transaction ends, always in the same order, so that decisions on their limits are serialized.
 * Omits days of deleted groups.
 */
export async function lockDays(trx: Transaction<DB>, days: readonly GroupDay[]): Promise<Account[]> {
  if (days.length === 0) return [];
  await sql`select 1 from group_days join ${asked(days)} using (group_id, day)
    order by group_id, day for update of group_days`.execute(trx);
  return readAccounts(trx, days);
}

/** Returns the open days of a session's groups, locked like {@link lockDays}. */
export async function lockOpenDays(trx: Transaction<DB>, sessionId: string): Promise<Account[]> {
  const rows = await trx
    .selectFrom('group_dispatches')
    .select(['group_id as groupId', 'day'])
    .where('session_id', '=', sessionId)
    .where('open', '=', true)
    .orderBy('group_id')
    .orderBy('day')
    .execute();
  return lockDays(trx, rows);
}

/** Returns days of groups, without a lock. Omits days of deleted groups. */
export async function readAccounts(trx: Transaction<DB>, days: readonly GroupDay[]): Promise<Account[]> {
  const { rows } = await sql<Omit<Account, 'max' | 'held'> & Record<string, number | null>>`
    select d.group_id as "groupId", d.day, g.name, g.timezone, g.max_sessions, g.max_tokens, g.max_cost_usd, g.max_sandbox_minutes,
      d.sessions + d.reserved_sessions as sessions, d.tokens + d.reserved_tokens as tokens,
      (d.cost_usd + d.reserved_cost_usd)::float8 as cost_usd,
      (d.sandbox_seconds + d.reserved_sandbox_seconds)::float8 as sandbox_seconds
    from group_days d join ${asked(days)} using (group_id, day) join groups g on g.id = d.group_id
    order by d.group_id, d.day`.execute(trx);
  return rows.map((row) => ({
    groupId: row.groupId,
    day: row.day,
    name: row.name,
    timezone: row.timezone,
    max: {
      sessions: row['max_sessions'] ?? null,
      tokens: row['max_tokens'] ?? null,
      cost_usd: row['max_cost_usd'] ?? null,
      sandbox_seconds: typeof row['max_sandbox_minutes'] === 'number' ? row['max_sandbox_minutes'] * 60 : null,
    },
    held: {
      sessions: row['sessions'] ?? 0,
      tokens: row['tokens'] ?? 0,
      cost_usd: row['cost_usd'] ?? 0,
      sandbox_seconds: row['sandbox_seconds'] ?? 0,
    },
  }));
}

/** Returns those groups on whose day the session already counts. */
export async function readCounted(
  trx: Transaction<DB>,
  sessionId: string,
  days: readonly GroupDay[],
): Promise<Set<string>> {
  const { rows } = await sql<{ group_id: string }>`
    select group_id from group_dispatches join ${asked(days)} using (group_id, day) where session_id = ${sessionId}`.execute(
    trx,
  );
  return new Set(rows.map((row) => row.group_id));
}

/** Counts the other sessions of a group's members that wait to be dispatched and will count on the day. */
export async function countComing(trx: Transaction<DB>, { groupId, day }: GroupDay, butFor: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from group_members m
    join sessions s on s.org_id = m.org_id and s.person_id = m.user_id and s.status = 'queued' and not s.dispatched
    where m.group_id = ${groupId} and s.id <> ${butFor} and not exists (
      select 1 from group_dispatches d where d.session_id = s.id and d.group_id = m.group_id and d.day = ${day}::date)`.execute(
    trx,
  );
  return rows[0]?.count ?? 0;
}

/** Returns the queues among these in which sessions wait. */
export async function readQueuesInUse(trx: Kysely<DB>, queues: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ queue: string }>`
    select queue from unnest(${[...queues]}::text[]) as queues (queue)
    where exists (select 1 from sessions where status = 'queued' and waits_for <> '' and waits_for = queue)`.execute(
    trx,
  );
  return rows.map(({ queue }) => queue);
}

/** Counts a dispatched session, and reserves sandbox time for it if that is limited. */
export async function reserveSession(
  trx: Transaction<DB>,
  sessionId: string,
  accounts: readonly Account[],
  seconds: number,
): Promise<void> {
  for (const { groupId, day, max } of accounts) {
    const reserved = max.sandbox_seconds === null ? 0 : seconds;
    await sql`
      with held as (
        insert into group_dispatches as d (session_id, group_id, day, reserved_seconds)
        values (${sessionId}, ${groupId}, ${day}::date, ${reserved})
        on conflict (session_id, group_id, day) do update
          set open = true, reserved_seconds = excluded.reserved_seconds, dispatched_at = clock_timestamp()
        returning xmax = 0 as is_first
      )
      update group_days set reserved_sessions = reserved_sessions + 1,
        sessions = sessions - case when is_first then 0 else 1 end,
        reserved_sandbox_seconds = reserved_sandbox_seconds + ${reserved}
      from held where group_id = ${groupId} and day = ${day}::date`.execute(trx);
  }
}

/** Returns the seconds that a session's open days reserve for it, and the seconds since it was dispatched. */
export async function readSandboxTime(trx: Transaction<DB>, sessionId: string) {
  const { rows } = await sql<{ groupId: string; reserved: number; spent: number }>`
    select group_id as "groupId", reserved_seconds::float8 as reserved,
      extract(epoch from clock_timestamp() - dispatched_at)::float8 as spent
    from group_dispatches where session_id = ${sessionId} and open`.execute(trx);
  return rows;
}

/** Reserves more sandbox time for a running session. */
export async function holdSandboxTime(
  trx: Transaction<DB>,
  sessionId: string,
  { groupId, day }: GroupDay,
  seconds: number,
): Promise<void> {
  await sql`
    with held as (
      update group_dispatches set reserved_seconds = reserved_seconds + ${seconds}
      where session_id = ${sessionId} and group_id = ${groupId} and day = ${day}::date
    )
    update group_days set reserved_sandbox_seconds = reserved_sandbox_seconds + ${seconds}
    where group_id = ${groupId} and day = ${day}::date`.execute(trx);
}

/** Formats the days as a table in a statement. */
export function asked(days: readonly GroupDay[]) {
  const groups = days.map(({ groupId }) => groupId);
  return sql`unnest(${groups}::text[], ${days.map(({ day }) => day)}::date[]) as asked (group_id, day)`;
}
