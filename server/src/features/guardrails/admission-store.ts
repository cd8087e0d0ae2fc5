import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { Rules } from './rules.ts';

/** Nothing else writes into the column. */
interface GuardrailJson {
  rules: Partial<Rules>;
}

/** Returns what is set for the organization and for repositories, by id. */
export async function readRuleSets(db: Kysely<DB>, orgId: string, repositoryIds: readonly string[]) {
  const rows = await db
    .selectFrom('guardrails')
    .select(['id', 'rules'])
    .$narrowType<GuardrailJson>()
    .where('org_id', '=', orgId)
    .where('id', 'in', [orgId, ...repositoryIds])
    .execute();
  return new Map(rows.map(({ id, rules }) => [id, rules]));
}

/** Returns true if the organization has a rule that is checked at dispatch. */
export async function hasDispatchRules(db: Kysely<DB>, orgId: string): Promise<boolean> {
  const row = await db
    .selectFrom('guardrails')
    .select('id')
    .where('org_id', '=', orgId)
    .where('at_dispatch', '=', true)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Records on which repositories a session works; `['']` for none. */
export async function insertCounts(
  trx: Transaction<DB>,
  session: { id: string; orgId: string; repositoryIds: readonly string[] },
  now: Date,
): Promise<void> {
  await trx
    .insertInto('guardrail_sessions')
    .values(
      session.repositoryIds.map((repository_id) => ({
        session_id: session.id,
        repository_id,
        org_id: session.orgId,
        created_at: now,
      })),
    )
    .execute();
}

/** Returns the repositories of a session, with their names; `''` for a session without one. */
export async function readRepositoriesOf(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db
    .selectFrom('guardrail_sessions as g')
    .leftJoin('repositories as r', 'r.id', 'g.repository_id')
    .select(['g.repository_id as id', 'r.provider', 'r.repo'])
    .where('g.org_id', '=', orgId)
    .where('g.session_id', '=', sessionId)
    .orderBy('g.repository_id')
    .execute();
}

/**
 * Serializes decisions about a repository's limits until the transaction ends. Lock repositories in the order of their ids,
 * and before the capacity and the groups' days: `sessions_guardrail` does so, too.
 */
export async function lockCounts(trx: Transaction<DB>, orgId: string, repositoryId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`guardrail ${orgId} ${repositoryId}`}, 0))`.execute(trx);
}

/** Counts the other sessions that were created on a repository since an instant. */
export async function countCreated(
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
  { since, butFor }: { since: Date; butFor: string },
): Promise<number> {
  const row = await trx
    .selectFrom('guardrail_sessions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('created_at', '>=', since)
    .where('session_id', '<>', butFor)
    .executeTakeFirst();
  return row?.count ?? 0;
}

/** The other sessions of a repository that are dispatched, or that wait for their dispatch. */
export interface ActiveSessions {
  dispatched: number;
  queued: number;
  /** The rest of their budgets, or what their model calls reserve if they have none. */
  committed_usd: number;
  /** Reserved by their model calls. */
  reserved_usd: number;
}

export async function readActive(
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
  butFor: string,
): Promise<ActiveSessions> {
  const { rows } = await sql<ActiveSessions>`
    with active as (
      select id, dispatched, budget, cost_usd, given_cost_usd, reserved_cost_usd from sessions
      where org_id = ${orgId} and dispatched
      union all
      select id, dispatched, budget, cost_usd, given_cost_usd, reserved_cost_usd from sessions
      where org_id = ${orgId} and status = 'queued' and not dispatched
    )
    select count(*) filter (where dispatched) as dispatched, count(*) filter (where not dispatched) as queued,
      coalesce(sum(greatest(0, coalesce((budget ->> 'max_cost_usd')::float8 - cost_usd - given_cost_usd, reserved_cost_usd))), 0)::float8
        as committed_usd,
      coalesce(sum(reserved_cost_usd), 0)::float8 as reserved_usd
    from active a
    where a.id <> ${butFor} and exists (
      select from guardrail_sessions g where g.session_id = a.id and g.repository_id = ${repositoryId})`.execute(trx);
  return rows[0] ?? { dispatched: 0, queued: 0, committed_usd: 0, reserved_usd: 0 };
}

/** Returns the cost of the model calls of a repository's sessions on a day (UTC), in US dollars. */
export async function readSpent(db: Kysely<DB>, orgId: string, repositoryId: string, day: string): Promise<number> {
  const { rows } = await sql<{ cost_usd: number }>`
    select coalesce(sum(cost_usd), 0)::float8 as cost_usd from spent_days
    where org_id = ${orgId} and repository_id = ${repositoryId} and day = ${day}::date`.execute(db);
  return rows[0]?.cost_usd ?? 0;
}

/**
 * Returns the same with what running calls reserve, in one statement: a call that is recorded meanwhile is either spent or
 * reserved.
 */
export async function readHeld(db: Kysely<DB>, orgId: string, repositoryId: string, day: string): Promise<number> {
  const { rows } = await sql<{ cost_usd: number }>`
    select ((
      select coalesce(sum(cost_usd), 0)::float8 from spent_days
      where org_id = ${orgId} and repository_id = ${repositoryId} and day = ${day}::date
    ) + (
      select coalesce(sum(c.cost_usd), 0)::float8 from reserved_calls c
      where c.org_id = ${orgId} and exists (
        select from guardrail_sessions g where g.session_id = c.session_id and g.repository_id = ${repositoryId})
    )) as cost_usd`.execute(db);
  return rows[0]?.cost_usd ?? 0;
}

/** Counts the open change requests of sessions on a repository, with those that are being opened for other branches. */
export async function countOpen(
  db: Kysely<DB>,
  orgId: string,
  repositoryId: string,
  { headRef, now }: { headRef: string; now: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select head_ref from change_requests
      where org_id = ${orgId} and repository_id = ${repositoryId} and state = 'open' and session_id <> ''
      union
      select head_ref from guardrail_openings where repository_id = ${repositoryId} and held_until > ${now}
    ) open where head_ref <> ${headRef}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Returns true if a branch has an open change request, which is then updated. */
export async function hasOpen(db: Kysely<DB>, orgId: string, repositoryId: string, headRef: string): Promise<boolean> {
  const row = await db
    .selectFrom('change_requests')
    .select('id')
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('state', '=', 'open')
    .where('head_ref', '=', headRef)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts a change request that is being opened, until it is recorded or `heldUntil`. */
export async function insertOpening(
  trx: Transaction<DB>,
  opening: { orgId: string; repositoryId: string; headRef: string; heldUntil: Date },
): Promise<void> {
  const { orgId: org_id, repositoryId: repository_id, headRef: head_ref, heldUntil: held_until } = opening;
  await trx
    .insertInto('guardrail_openings')
    .values({ org_id, repository_id, head_ref, held_until })
    .onConflict((conflict) => conflict.columns(['repository_id', 'head_ref']).doUpdateSet({ held_until }))
    .execute();
}

export async function deleteOpening(db: Kysely<DB>, repositoryId: string, headRef: string): Promise<void> {
  await db
    .deleteFrom('guardrail_openings')
    .where('repository_id', '=', repositoryId)
    .where('head_ref', '=', headRef)
    .execute();
}

export async function deleteOpenings(db: Kysely<DB>, before: Date): Promise<void> {
  await db.deleteFrom('guardrail_openings').where('held_until', '<', before).execute();
}

/** Deletes the counts of deleted sessions from before an instant. */
export async function deleteCounts(db: Kysely<DB>, before: Date): Promise<void> {
  await sql`delete from guardrail_sessions g where ctid = any(array(
    select old.ctid from guardrail_sessions old where old.created_at < ${before}
      and not exists (select from sessions s where s.id = old.session_id) limit 10000))`.execute(db);
}
