import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** Adds what is not measured yet; of a session that nobody knows any more, nothing. */
async function insertMeasurements(trx: Transaction<DB>, seen: string, found: RawBuilder<unknown>): Promise<void> {
  await sql`
    with e as materialized (
      select * from jsonb_to_recordset(${seen}::jsonb) as e (position bigint, type text, resource_id text, user_id text,
        status text, previous_status text, at timestamptz)
    ), found (id, metric, session_id, amount, at, user_id) as (${found})
    insert into measurements (id, metric, session_id, amount, created_at, org_id, principal_type, principal_id, origin,
      repository, automation_id, tags, group_ids)
    select f.id, f.metric, f.session_id, greatest(0, f.amount), f.at, a.org_id,
      case when f.user_id is null then a.principal_type else 'user' end, coalesce(f.user_id, a.principal_id), a.origin,
      a.repository, a.automation_id, a.tags, a.group_ids
    from found f cross join lateral session_account(f.session_id) a
    on conflict (id) do nothing`.execute(trx);
}

/** Measures that sessions began to wait for people. */
export async function measureWaits(trx: Transaction<DB>, seen: string): Promise<void> {
  const found = sql`
    select 'session.waits/' || resource_id || '/' || position, 'session.waits', resource_id, 0::numeric, at, null
    from e where type = 'session.status_changed' and status = 'waiting' and previous_status <> 'waiting'`;
  await insertMeasurements(trx, seen, found);
}

const created = sql`
  select 'session.created/' || resource_id, 'session.created', resource_id, 0::numeric, at, null::text
  from e where type = 'session.created'`;

const queued = sql`
  select 'session.queued/' || s.id, 'session.queued', s.id, extract(epoch from s.started_at - s.created_at), s.started_at, null
  from e join sessions s on s.id = e.resource_id
  where type = 'session.status_changed' and previous_status = 'queued' and e.status in ('provisioning', 'running')
    and s.started_at is not null`;

/** The first time that a session ends in each way. */
const ended = sql`
  select 'session.' || status || '/' || resource_id, 'session.' || status, resource_id, 0, at, null
  from e where type = 'session.status_changed' and status in ('completed', 'failed', 'canceled') and previous_status <> status`;

/** The first result of a session's checks. */
const verified = sql`
  select 'session.verify_' || v.result || '/' || resource_id, 'session.verify_' || v.result, resource_id, 0, at, null
  from e cross join lateral (
    select p.data ->> 'status' as result from session_events p
    where p.session_id = e.resource_id and p.kind = 'phase' and p.data ->> 'name' = 'verify'
      and p.data ->> 'status' in ('passed', 'failed')
    order by p.seq limit 1
  ) v
  where type = 'session.status_changed' and status in ('completed', 'failed') and previous_status <> status
    and not exists (
      select from measurements m where m.id in ('session.verify_passed/' || resource_id, 'session.verify_failed/' || resource_id))`;

const waited = sql`
  select 'session.waited/' || resource_id || '/' || position, 'session.waited', resource_id,
    extract(epoch from e.at - w.created_at), at, null
  from e cross join lateral (
    select m.created_at from measurements m
    where m.session_id = e.resource_id and m.metric = 'session.waits' and m.created_at <= e.at
    order by m.created_at desc limit 1
  ) w
  where type = 'session.status_changed' and previous_status = 'waiting' and status <> 'waiting'`;

const active = sql`
  select 'user.active/' || position, 'user.active', resource_id, 0, at, user_id
  from e where type = 'session.message_created' and user_id is not null
  union all
  select 'user.active/' || position, 'user.active', p.session_id, 0, at, user_id
  from e join session_approvals p on p.id = e.resource_id
  where type in ('approval.approved', 'approval.denied') and user_id is not null`;

const opened = sql`
  select 'change_request.opened/' || c.id, 'change_request.opened', s.id, extract(epoch from c.created_at - s.created_at),
    c.created_at, null
  from e join change_requests c on c.id = e.resource_id join sessions s on s.id = c.session_id
  where type = 'change_request.opened'`;

const settled = sql`
  select 'change_request.' || c.state || '/' || c.id, 'change_request.' || c.state, c.session_id,
    extract(epoch from coalesce(c.merged_at, e.at) - c.created_at), coalesce(c.merged_at, e.at), null
  from e join change_requests c on c.id = e.resource_id
  where type in ('change_request.state_changed', 'change_request.merged', 'change_request.closed')
    and c.state in ('merged', 'closed') and c.session_id <> ''`;

/** Someone pushed to the branch after the session's last push. */
const edited = sql`
  select 'change_request.edited/' || c.id, 'change_request.edited', c.session_id, 0, e.at, null
  from e join change_requests c on c.id = e.resource_id cross join lateral (
    select p.data ->> 'commit' as commit from session_events p
    where p.session_id = c.session_id and p.kind = 'branch_pushed' and p.data ->> 'branch' = c.head_ref
    order by p.seq desc limit 1
  ) p
  where type in ('change_request.state_changed', 'change_request.merged', 'change_request.closed')
    and c.state in ('merged', 'closed') and c.session_id <> '' and p.commit <> c.head_sha`;

const approvals = ['approval.approved', 'approval.denied'];
const endsOfChangeRequests = ['change_request.state_changed', 'change_request.merged', 'change_request.closed'];

/** The measurements, each with the types of events that may lead to it. */
const measured: [types: string[], found: RawBuilder<unknown>][] = [
  [['session.created'], created],
  [['session.status_changed'], queued],
  [['session.status_changed'], ended],
  [['session.status_changed'], verified],
  [['session.status_changed'], waited],
  [['session.message_created', ...approvals], active],
  [['change_request.opened'], opened],
  [endsOfChangeRequests, settled],
  [endsOfChangeRequests, edited],
];

/**
 * Measures everything else in a batch of events. `types` are its types: a statement of all parts takes PostgreSQL 6 ms to
 * plan.
 */
export async function measureEvents(trx: Transaction<DB>, seen: string, types: ReadonlySet<string>): Promise<void> {
  const parts = measured.flatMap(([of, found]) => (of.some((type) => types.has(type)) ? [found] : []));
  if (parts.length > 0) await insertMeasurements(trx, seen, sql.join(parts, sql` union all `));
}

/** Measures the ends of automations' runs; those of external executors have no session. */
export async function measureRuns(trx: Transaction<DB>, seen: string): Promise<void> {
  await sql`
    insert into measurements (id, metric, session_id, amount, created_at, org_id, principal_type, principal_id, origin,
      repository, automation_id, tags, group_ids)
    select 'run.' || r.status || '/' || r.id, 'run.' || r.status, r.session_id,
      greatest(0, extract(epoch from coalesce(r.ended_at, e.at) - coalesce(r.started_at, r.ended_at, e.at))),
      coalesce(r.ended_at, e.at), r.org_id, coalesce(a.principal_type, 'system'), coalesce(a.principal_id, ''), 'automation',
      coalesce(a.repository, ''), r.automation_id, coalesce(a.tags, '{}'), coalesce(a.group_ids, '{}')
    from jsonb_to_recordset(${seen}::jsonb) as e (type text, resource_id text, at timestamptz)
    join automation_runs r on r.id = e.resource_id left join lateral session_account(r.session_id) a on true
    where e.type = 'run.status_changed'
      and r.status in ('succeeded', 'failed', 'timed_out', 'canceled', 'skipped')
    on conflict (id) do nothing`.execute(trx);
}

/**
 * Takes back what was not the end: the timeout of a run that succeeded after all, the closing of a change request that was
 * reopened and merged.
 */
export async function measureCorrections(trx: Transaction<DB>, seen: string): Promise<void> {
  await sql`
    with e as materialized (
      select * from jsonb_to_recordset(${seen}::jsonb) as e (type text, resource_id text)
    )
    insert into measurements (id, org_id, metric, session_id, principal_type, principal_id, origin, repository,
      automation_id, tags, group_ids, amount, created_at, count)
    select 'corrected/' || id, org_id, metric, session_id, principal_type, principal_id, origin, repository,
      automation_id, tags, group_ids, amount, created_at, -1
    from measurements
    where id in (
      select 'run.timed_out/' || r.id from e join automation_runs r on r.id = e.resource_id
      where e.type = 'run.status_changed' and r.status = 'succeeded'
      union all
      select 'change_request.closed/' || c.id from e join change_requests c on c.id = e.resource_id
      where e.type in ('change_request.state_changed', 'change_request.merged') and c.state = 'merged')
    on conflict (id) do nothing`.execute(trx);
}
