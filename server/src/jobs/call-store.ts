import { sql } from 'kysely';
import type { Database } from '../db/pool.ts';

/** Says to a worker ('' for all) that there is something to take. */
export const waitingChannel = 'guildhall_calls_waiting';
/** Says, by the id of a call, that it was answered or withdrawn. */
export const changedChannel = 'guildhall_calls_changed';

/** A worker that was silent for so long is gone. It renews its calls three times as often. */
const silentSeconds = 10;

export interface NewCall {
  id: string;
  kind: string;
  worker: string;
  input: string;
  timeoutMs: number;
}

export async function insertCall(db: Database, call: NewCall): Promise<void> {
  await db.pool.query(
    `with asked as (
       insert into worker_calls (id, kind, worker, input, expires_at)
       values ($1, $2, $3, $4, now() + $5 * interval '1 ms') returning worker)
     select pg_notify('${waitingChannel}', worker) from asked`,
    [call.id, call.kind, call.worker, call.input, call.timeoutMs],
  );
}

export interface StoredAnswer {
  output: string | null;
  error: string | null;
}

/** Takes the answer away, once; undefined while there is none. */
export async function takeAnswer(db: Database, id: string): Promise<StoredAnswer | undefined> {
  const { rows } = await db.pool.query<StoredAnswer>(
    'delete from worker_calls where id = $1 and answered_at is not null returning output, error',
    [id],
  );
  return rows[0];
}

/** Withdraws a call that nobody took; false when somebody did. */
export async function withdrawUntaken(db: Database, id: string): Promise<boolean> {
  const { rowCount } = await db.pool.query('delete from worker_calls where id = $1 and taken_by is null', [id]);
  return rowCount === 1;
}

/** Withdraws a call and notifies its worker. */
export async function withdraw(db: Database, id: string): Promise<void> {
  await db.pool.query(
    `with gone as (delete from worker_calls where id = $1 returning id)
     select pg_notify('${changedChannel}', id::text) from gone`,
    [id],
  );
}

/** Returns the states of calls; a call that is not listed no longer exists. */
export async function lookAtCalls(db: Database, ids: string[]): Promise<Map<string, 'open' | 'answered' | 'silent'>> {
  const { rows } = await db.pool.query<{ id: string; state: 'open' | 'answered' | 'silent' }>(
    `select id, case when answered_at is not null then 'answered'
                     when beat_at < now() - interval '${silentSeconds} s' then 'silent' else 'open' end as state
     from worker_calls where id = any($1)`,
    [ids],
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

export interface TakenCall {
  id: string;
  kind: string;
  input: string;
}

/** Takes calls that wait, the oldest first. */
export async function takeCalls(db: Database, worker: string, kinds: string[], limit: number): Promise<TakenCall[]> {
  const { rows } = await db.pool.query<TakenCall>(
    `update worker_calls set taken_by = $1, beat_at = now() where id in (
       select id from worker_calls
       where taken_by is null and worker in ('', $1) and kind = any($2) and expires_at > now()
       order by created_at limit $3 for update skip locked)
     returning id, kind, input`,
    [worker, kinds, limit],
  );
  return rows;
}

/** Renews calls. Returns those whose caller still waits. */
export async function beatCalls(db: Database, worker: string, ids: string[]): Promise<Set<string>> {
  const { rows } = await db.pool.query<{ id: string }>(
    'update worker_calls set beat_at = now() where id = any($2) and taken_by = $1 and expires_at > now() returning id',
    [worker, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export async function answerCall(db: Database, id: string, { output, error }: StoredAnswer): Promise<void> {
  await db.pool.query(
    `with answered as (
       update worker_calls set answered_at = now(), output = $2, error = $3 where id = $1 returning id)
     select pg_notify('${changedChannel}', id::text) from answered`,
    [id, output, error],
  );
}

/** Removes what a caller left that died before its answer came. */
export async function purgeWorkerCalls(db: Database): Promise<void> {
  await db.kysely
    .deleteFrom('worker_calls')
    .where('expires_at', '<', sql<Date>`now() - interval '1 minute'`)
    .execute();
}
