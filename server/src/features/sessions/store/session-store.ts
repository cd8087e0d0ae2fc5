import { sql, type Insertable, type Kysely, type Selectable, type Transaction, type UpdateObject } from 'kysely';
import type { PrincipalKind } from '../../../caller.ts';
import type { DB } from '../../../db/types.ts';
import type { Budget, Phase, StatusDetail, StoredRepository } from '../schemas/session-schemas.ts';

/** The content of JSON columns; the run and the API write nothing else into them. */
export interface SessionJson {
  status_detail: StatusDetail;
  phases: Phase[];
  repositories: StoredRepository[];
  metadata: Record<string, unknown>;
  budget: Budget;
  error: { code: string; message: string } | null;
  sandbox: Record<string, unknown>;
  options: Record<string, unknown>;
}

const columns = [
  'id',
  'org_id',
  'title',
  'prompt',
  'status',
  'status_detail',
  'sandbox_state',
  'phases',
  'agent_id',
  'agent_version',
  'model',
  'mode',
  'repositories',
  'tags',
  'metadata',
  'origin',
  'created_by_type',
  'created_by_id',
  'automation_id',
  'parent_session_id',
  'forked_from',
  'structured_output',
  'budget',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cost_usd',
  'sandbox_seconds',
  'attempt_no',
  'turn',
  'round',
  'error',
  'verify_command',
  'verification',
  'deliver',
  'memory_enabled',
  'sandbox',
  'options',
  'last_seq',
  'archived',
  'fence',
  'lease_owner',
  'interrupt_requested',
  'dispatched',
  'in_groups',
  'created_at',
  'updated_at',
  'started_at',
  'ended_at',
] as const;

export type SessionRow = Omit<Pick<Selectable<DB['sessions']>, (typeof columns)[number]>, keyof SessionJson> &
  SessionJson;

/** Returns a session's row for its run and the services; clients get the shape in `wire-store.ts`. */
export async function readSession(db: Kysely<DB>, orgId: string, id: string): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .select(columns)
    .$narrowType<SessionJson>()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

const hasQueued = sql<boolean>`exists (
  select from session_messages where session_id = sessions.id and state = 'queued')`;

/** Like {@link readSession}, and tells if a message is queued: a message changes the status in the same transaction. */
export async function readWithQueue(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .selectFrom('sessions')
    .select(columns)
    .select(hasQueued.as('hasQueued'))
    .$narrowType<SessionJson>()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Locks a session until the transaction ends, which serializes decisions of the API about it. */
export async function lockSession(trx: Transaction<DB>, orgId: string, id: string) {
  return trx
    .selectFrom('sessions')
    .select([
      'id',
      'org_id',
      'status',
      'status_detail',
      'sandbox_state',
      'archived',
      'turn',
      'phases',
      'repositories',
      'person_id',
      'created_by_type',
      'created_by_id',
    ])
    .select(sql<boolean>`lease_owner <> '' and coalesce(lease_until > now(), false)`.as('held'))
    .select(countedByGroups)
    .select(awaitsDecision)
    .$narrowType<Pick<SessionJson, 'status_detail' | 'phases' | 'repositories'>>()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Adds the time since its worker claimed it to a session's sandbox time. */
export function workUntilNow() {
  return {
    sandbox_seconds: sql<number>`sandbox_seconds + coalesce(extract(epoch from clock_timestamp() - working_since), 0)`,
    working_since: null,
  };
}

/**
 * The sandbox state as shown: a warm sandbox whose worker released it or was lost is gone, although nobody recorded
 * that.
 */
export const shownSandboxState = `case when sandbox_state = 'ready' and status in ('waiting', 'completed')
  and (lease_owner = '' or lease_until is null or lease_until < now()) then 'none' else sandbox_state end as sandbox_state`;

/** True if an approval of the session is pending. */
const awaitsDecision = sql<boolean>`exists (
  select from session_approvals a where a.session_id = sessions.id and a.state = 'pending')`.as('awaits_decision');

/** True if the user whom a session counts for is in a group. */
const countedByGroups = sql<boolean>`exists (
  select from group_members m where m.org_id = sessions.org_id and m.user_id = sessions.person_id)`.as('in_groups');

/**
 * Inserts a session that counts for its creator, or for its parent's user. Returns that user, and if groups count the
 * session.
 */
export async function insertSession(trx: Transaction<DB>, row: Omit<Insertable<DB['sessions']>, 'person_id'>) {
  const { created_by_type: type, created_by_id, org_id, parent_session_id = '' } = row;
  const parents = sql<string>`coalesce((select p.person_id from sessions p where p.id = ${parent_session_id} and p.org_id = ${org_id}), '')`;
  const person_id = type === 'user' ? created_by_id : type === 'session' ? parents : '';
  return trx
    .insertInto('sessions')
    .values({ ...row, person_id })
    .returning('person_id')
    .returning(countedByGroups)
    .executeTakeFirstOrThrow();
}

/** Returns the creator of a session's root; undefined if a session in between was deleted. */
export async function readRootCreator(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .withRecursive('line', (line) =>
      line
        .selectFrom('sessions')
        .select(['created_by_type as type', 'created_by_id as creator'])
        .where('org_id', '=', orgId)
        .where('id', '=', id)
        .union(
          line
            .selectFrom('sessions as parent')
            .innerJoin('line', (join) => join.onRef('parent.id', '=', 'line.creator').on('line.type', '=', 'session'))
            .select(['parent.created_by_type as type', 'parent.created_by_id as creator'])
            .where('parent.org_id', '=', orgId),
        ),
    )
    .selectFrom('line')
    .select(['type', 'creator as id'])
    .where('type', '<>', 'session')
    .$narrowType<{ type: PrincipalKind }>()
    .executeTakeFirst();
}

/** Returns the parent of a session; `''` for none, undefined if the session does not exist. */
export async function readParentId(db: Kysely<DB>, orgId: string, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select('parent_session_id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.parent_session_id;
}

export async function updateSessionRow(
  trx: Transaction<DB>,
  id: string,
  change: UpdateObject<DB, 'sessions'>,
): Promise<void> {
  await trx.updateTable('sessions').set(change).where('id', '=', id).execute();
}

export async function deleteSessionRow(trx: Transaction<DB>, id: string): Promise<void> {
  await trx.deleteFrom('sessions').where('id', '=', id).execute();
}

export async function readUsageByModel(db: Kysely<DB>, sessionId: string) {
  return db
    .selectFrom('usage_records')
    .select('model')
    .select(({ fn }) => [
      sql<number>`sum(input_tokens)::int8`.as('input_tokens'),
      sql<number>`sum(output_tokens)::int8`.as('output_tokens'),
      sql<number>`sum(cached_input_tokens)::int8`.as('cached_input_tokens'),
      fn.sum<string>('cost_usd').as('cost_usd'),
    ])
    .where('session_id', '=', sessionId)
    .groupBy('model')
    .orderBy('model')
    .execute();
}

/**
 * Returns the number of sessions that wait for a worker, and the free slots of the workers, by the current leases: a
 * claimed session no longer waits and has a slot. Workers without a heartbeat for 15 s do not count.
 */
export async function readQueue(db: Kysely<DB>, orgId: string) {
  const result = await sql<{ size: number; oldest_age_seconds: number | null; workers: number; free_slots: number }>`
    select q.size, q.oldest_age_seconds, w.workers, w.free_slots
    from (select count(*) as size, round(extract(epoch from now() - min(created_at)), 3)::float8 as oldest_age_seconds
          from sessions where status = 'queued' and lease_owner = '' and org_id = ${orgId}) q,
         (select count(*) as workers, coalesce(sum(greatest(slots - taken.n, 0)) filter (where not draining), 0) as free_slots
          from workers, lateral (select count(*) as n from sessions s
            where s.lease_owner = workers.id and s.status in ('queued', 'provisioning', 'running')) taken
          where seen_at > now() - interval '15 seconds' and gone_at is null) w`.execute(db);
  return result.rows[0] ?? { size: 0, oldest_age_seconds: null, workers: 0, free_slots: 0 };
}

/** Notifies the worker of a session to check it. */
export async function notifyControl(trx: Transaction<DB>, id: string): Promise<void> {
  await sql`select pg_notify('guildhall_control', ${id})`.execute(trx);
}

/** Lets the streams of a session see that it was deleted. */
export async function notifyStreams(trx: Transaction<DB>, id: string): Promise<void> {
  await sql`select pg_notify('guildhall_session', ${id})`.execute(trx);
}

/** Returns true if any session of the organization runs, waits for a worker, or has one. */
export async function hasLiveSessions(db: Kysely<DB>, orgId: string): Promise<boolean> {
  const { rows } = await sql<{ live: boolean }>`
    select exists (select from sessions where org_id = ${orgId} and (status in ('queued', 'provisioning', 'running')
      or (status = 'waiting' and lease_owner <> '' and lease_until > now()))) as live`.execute(db);
  return rows[0]?.live ?? false;
}
