import { sql, type Kysely, type Transaction } from 'kysely';
import { rowsOf, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { intervalOf } from './run-store.ts';
import { serve } from './share-store.ts';
import { statusesOf } from './transitions.ts';
import type { origins, SandboxState, SessionStatus, StatusDetail } from '../schemas/session-schemas.ts';

export interface Claim {
  id: string;
  org_id: string;
  fence: number;
  losses: number;
  before: Before;
}

/**
 * The end of the previous run of a claimed session: `gone`, its worker was silent after the lease expired; `away`, its
 * worker was alive, but had not renewed the lease; `failed`, it gave an attempt up; `''`, it ended normally.
 */
export type Before = '' | 'gone' | 'away' | 'failed';

/** Nothing starts in an organization that is suspended or being deleted. */
const inActive = `exists (select from organizations o where o.id = s.org_id and o.state = 'active')`;

/** The condition for a session that a worker must run, in SQL. */
export const active = `s.status in (${statusesOf('claim')
  .map((status) => `'${status}'`)
  .join(', ')})`;

/** The condition for a session whose worker was found to have ended; its lease no longer counts. */
export const deserted = `s.lease_owner in (select w.id from workers w where w.gone_at is not null)`;

/**
 * The condition for the next attempt at a session that lost its worker: at once after the first two losses in a row, then
 * 10 s after the lease, and each time twice as long. Whatever took the workers may have passed by then.
 */
const mayGoOn = `(s.lease_owner = '' or s.losses < 2
  or s.lease_until + interval '10 seconds' * power(2, least(s.losses, 10) - 2) < now())`;

/**
 * The condition for a session without a live lease: released, deserted, or expired; an expired one requires takeover
 * ($n).
 */
export const free = (takesOver: string): string =>
  `(s.lease_until is null or (${mayGoOn} and ((s.lease_until < now() and (${takesOver} or s.lease_owner = '')) or ${deserted})))`;

/** The condition for a claimable session: no queue holds it back now ($n), and $n allows takeovers. */
const claimable = (now: string, takesOver: string): string => `
  ${inActive} and ${active} and ${free(`${takesOver}::boolean`)}
  and (s.lease_until is not null or s.waits_for = ''
    or not exists (select 1 from session_queues q where q.id = s.waits_for and q.wake_at > ${now}))`;

const before = `case
  when s.lease_until is null then ''
  when s.lease_owner = '' then 'failed'
  when exists (select from workers w where w.id = s.lease_owner and w.seen_at > s.lease_until) then 'away'
  else 'gone' end`;

const someCapacity = `(coalesce((t.value ->> 'max_concurrent')::int, 0) > 0
  or coalesce((t.value ->> 'max_concurrent_regular')::int, 0) > 0)`;

const someBudget = `coalesce((b.value ->> 'hard')::boolean, true)
  and coalesce(b.value ->> 'per_day_usd', b.value ->> 'per_cycle_usd') is not null`;

/** The condition for a session to which limits apply; false while it continues what it was dispatched for. */
const limited = `
  not s.dispatched and (
    exists (select 1 from settings t where t.org_id = s.org_id and t.namespace = 'sessions' and ${someCapacity})
    or exists (select 1 from settings b where b.org_id = s.org_id and b.namespace = 'budgets' and ${someBudget})
    or exists (select 1 from guardrails r where r.org_id = s.org_id and r.at_dispatch)
    or (s.person_id <> '' and exists (select 1 from group_members m where m.org_id = s.org_id and m.user_id = s.person_id)))`;

/** The sandbox time of a lost worker, until its last heartbeat. */
const workedBefore = (lease: string): string => `greatest(0, coalesce(extract(epoch from
  least(now(), s.lease_until - ${intervalOf(lease)}) - s.working_since), 0))`;

/** The changes of a claim; the lease lasts $n milliseconds. */
const taken = (lease: string): string => `
  sandbox_seconds = s.sandbox_seconds + ${workedBefore(lease)}, working_since = clock_timestamp(), fence = s.fence + 1, attempt_no = s.attempt_no + 1, lease_owner = $2,
  lease_until = clock_timestamp() + ${intervalOf(lease)}, started_at = coalesce(s.started_at, now()),
  losses = case when s.lease_until is null or (${before}) = 'away' then s.losses else s.losses + 1 end,
  dispatched = true, waits_for = '', updated_at = now()`;

export interface Claimer {
  /** The worker's id. */
  owner: string;
  /** True if it may also claim sessions whose worker let the lease expire. */
  takesOver: boolean;
  /** The duration of its leases without a heartbeat. */
  leaseMs: number;
}

/**
 * Claims a session for a worker with the next fencing token: a waiting one, or one with an expired lease. Undefined if
 * it needs no worker, another worker has it, or a transaction has locked it, which nobody waits for. `limited` if it
 * must be admitted first.
 */
export async function claimSession(
  db: Database | Transaction<DB>,
  id: string,
  { owner, takesOver, leaseMs }: Claimer,
  now: Date,
): Promise<Claim | 'limited' | undefined> {
  const rows = await rowsOf<Claim & { limited: boolean }>(
    db,
    'session_claim',
    `with wanted as (
       select s.id, (${limited}) as limited, (${before}) as before from sessions s where s.id = $1 and (${claimable('$3', '$4')}) for update of s skip locked
     ), claimed as (
       update sessions s set ${taken('$5')}, in_groups = s.in_groups and s.dispatched
       from wanted where s.id = wanted.id and not wanted.limited returning s.id, s.org_id, s.fence, s.losses
     )
     select claimed.id, claimed.org_id, claimed.fence, claimed.losses, wanted.limited, wanted.before
     from wanted left join claimed on claimed.id = wanted.id`,
    [id, owner, now, takesOver, leaseMs],
  );
  const [row] = rows;
  return row?.limited === true ? 'limited' : row;
}

/** A session to which limits apply, for its admission. */
export interface Limited {
  id: string;
  org_id: string;
  person_id: string;
  waits_for: string;
  status: SessionStatus;
  status_detail: StatusDetail;
  sandbox_state: SandboxState;
  origin: Origin;
}

type Origin = (typeof origins)[number];

const limitedColumns = `s.id, s.org_id, s.person_id, s.waits_for, s.status, s.status_detail, s.sandbox_state, s.origin`;

/** Locks a claimable session; undefined if it is not claimable any more, or a transaction has locked it. */
export async function lockClaimable(
  trx: Transaction<DB>,
  id: string,
  { takesOver }: Claimer,
  now: Date,
): Promise<Limited | undefined> {
  const text = `select ${limitedColumns} from sessions s where s.id = $1 and (${claimable('$2', '$3')}) for update of s skip locked`;
  return (await rowsOf<Limited>(trx, 'session_lock_claimable', text, [id, now, takesOver]))[0];
}

/** Locks a warm session of a worker; undefined if the worker no longer owns it. */
export async function lockWarm(trx: Transaction<DB>, id: string, fence: number): Promise<Limited | undefined> {
  const text = `select ${limitedColumns} from sessions s where s.id = $1 and s.fence = $2 for update of s`;
  return (await rowsOf<Limited>(trx, 'session_lock_kept', text, [id, fence]))[0];
}

/** Dispatches the session $1 of the run $2, if no limit applies to it and under a further condition. */
export const dispatchKept = (condition = ''): string => `
  with kept as (
    update sessions s set dispatched = true, working_since = clock_timestamp(), in_groups = s.in_groups and s.dispatched
    where s.id = $1 and s.fence = $2 and not (${limited}) ${condition} returning s.org_id
  )
  ${serve('kept')}`;

/**
 * Dispatches a warm session, and marks its organization as served. Returns false if limits apply, or another worker
 * owns it.
 */
export async function dispatchWarm(trx: Transaction<DB>, id: string, fence: number): Promise<boolean> {
  const rows = await rowsOf(trx, 'session_dispatch_kept', dispatchKept(), [id, fence]);
  return rows.length === 1;
}

/** Claims a locked session that was admitted. */
export async function takeSession(
  trx: Transaction<DB>,
  id: string,
  { owner, leaseMs }: Claimer,
): Promise<Claim | undefined> {
  const text = `update sessions s set ${taken('$3')} where s.id = $1 returning s.id, s.org_id, s.fence, s.losses, '' as before`;
  return (await rowsOf<Claim>(trx, 'session_take', text, [id, owner, leaseMs]))[0];
}

/** Marks a session as admitted. */
export async function markDispatched(trx: Transaction<DB>, id: string, inGroups: boolean): Promise<void> {
  const working_since = sql<Date>`clock_timestamp()`;
  await trx
    .updateTable('sessions')
    .set({ dispatched: true, working_since, in_groups: inGroups })
    .where('id', '=', id)
    .execute();
}

/**
 * Serializes dispatching and releasing sessions until the transaction ends, if the organization limits concurrent
 * sessions. Returns false if it does not.
 */
export async function lockCapacity(trx: Transaction<DB>, orgId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from settings t where t.org_id = ${orgId} and t.namespace = 'sessions'
    and ${sql.raw(someCapacity)} for update`.execute(trx);
  return rows.length > 0;
}

/** Counts the dispatched sessions, of one user if given. */
export async function countDispatched(db: Kysely<DB>, orgId: string, personId?: string): Promise<number> {
  const row = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where(sql<boolean>`dispatched`)
    .$if(personId !== undefined, (query) => query.where('person_id', '=', personId ?? ''))
    .executeTakeFirst();
  return row?.count ?? 0;
}

/** Creates a queue that is checked again at `wakeAt`; without that, keeps an existing queue unchanged. */
export async function insertQueue(
  trx: Transaction<DB>,
  orgId: string,
  queue: string,
  wakeAt: Date | undefined,
): Promise<void> {
  const at = wakeAt ?? sql`'-infinity'::timestamptz`;
  const known = wakeAt === undefined ? sql`nothing` : sql`update set wake_at = excluded.wake_at`;
  await sql`insert into session_queues (id, org_id, wake_at) values (${queue}, ${orgId}, ${at})
    on conflict (id) do ${known}`.execute(trx);
}

/** Returns dispatched sessions without a live worker, least recently updated first. */
export async function listOrphaned(db: Database, limit: number, takesOver: boolean): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    db,
    'sessions_going_on',
    `select s.id from sessions s
     where s.dispatched and ${inActive} and ${free('$2::boolean')}
     order by s.lease_until nulls first limit $1`,
    [limit, takesOver],
  );
  return rows.map((row) => row.id);
}
