import type { Transaction } from 'kysely';
import { named, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { sqlOf } from './run-store.ts';
import type { Budget } from '../schemas/session-schemas.ts';

/** What a session may use, has used, and has promised to calls that are under way. */
export interface Spending {
  budget: Budget;
  tokens: number;
  cost_usd: number;
  reserved_tokens: number;
  reserved_cost_usd: number;
  /** Whether groups count it too. */
  in_groups: boolean;
  /** What its children may spend. */
  given_tokens: number;
  given_cost_usd: number;
}

const spending = `select budget, input_tokens + output_tokens as tokens, cost_usd, reserved_tokens, reserved_cost_usd,
    given_tokens, given_cost_usd, in_groups
  from sessions where id = $1 and fence = $2 and lease_owner <> ''`;

/** Undefined when the fence is no longer the session's. */
export async function readSpending(db: Database, id: string, fence: number): Promise<Spending | undefined> {
  return (await named<Spending>(db, 'session_spending', spending, [id, fence]))[0];
}

/** The same, and nothing else is decided about the session until the transaction ends. */
export async function lockSpending(trx: Transaction<DB>, id: string, fence: number): Promise<Spending | undefined> {
  return (await trx.executeQuery<Spending>(sqlOf(`${spending} for update`, [id, fence]).compile(trx))).rows[0];
}

/** Reserves what a call of a locked session may use. */
export async function addReserved(
  trx: Transaction<DB>,
  id: string,
  call: { tokens: number; costUsd: number },
): Promise<void> {
  await trx
    .updateTable('sessions')
    .set((eb) => ({
      reserved_tokens: eb('reserved_tokens', '+', call.tokens),
      reserved_cost_usd: eb('reserved_cost_usd', '+', call.costUsd),
    }))
    .where('id', '=', id)
    .execute();
}

/** Reserves what a call may use, if the session spent and promised nothing since `seen`. */
export async function reserveSpending(
  db: Database,
  session: { id: string; fence: number },
  seen: Spending,
  call: { tokens: number; costUsd: number },
): Promise<boolean> {
  const rows = await named(
    db,
    'session_reserve',
    `update sessions set reserved_tokens = reserved_tokens + $5, reserved_cost_usd = reserved_cost_usd + $6
     where id = $1 and fence = $2 and lease_owner <> '' and input_tokens + output_tokens = $3 and reserved_tokens = $4
       and given_tokens = $7 and given_cost_usd = $8
     returning id`,
    [
      session.id,
      session.fence,
      seen.tokens,
      seen.reserved_tokens,
      call.tokens,
      call.costUsd,
      seen.given_tokens,
      seen.given_cost_usd,
    ],
  );
  return rows.length === 1;
}

export interface Settlement {
  model: string;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  costUsd: number;
  reserved: { tokens: number; costUsd: number };
}

/**
 * Counts what a call used and gives back what was reserved for it, with its event. Without a fence: what was spent is
 * spent, whoever works on the session by now.
 */
export async function settleSpending(db: Database | Transaction<DB>, id: string, call: Settlement): Promise<void> {
  const { model, inputTokens, outputTokens, cachedInputTokens, costUsd, reserved } = call;
  const data = {
    model,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cached_input_tokens: cachedInputTokens,
    cost_usd: costUsd,
  };
  await run(
    db,
    'session_settle',
    `with used as (
       update sessions set last_seq = last_seq + 1, input_tokens = input_tokens + $3, output_tokens = output_tokens + $4,
         cached_input_tokens = cached_input_tokens + $5, cost_usd = cost_usd + $6,
         reserved_tokens = greatest(0, reserved_tokens - $7), reserved_cost_usd = greatest(0, reserved_cost_usd - $8)
       where id = $1 returning last_seq, org_id, attempt_no, turn
     ), counted as (
       insert into session_usage as u (session_id, org_id, model, input_tokens, output_tokens, cached_input_tokens, cost_usd)
       select $1, org_id, $2, $3, $4, $5, $6 from used
       on conflict (session_id, model) do update set input_tokens = u.input_tokens + excluded.input_tokens,
         output_tokens = u.output_tokens + excluded.output_tokens,
         cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens, cost_usd = u.cost_usd + excluded.cost_usd
     ), told as (
       insert into session_events (session_id, seq, id, org_id, kind, phase, turn, attempt_no, data)
       select $1, last_seq, $9, org_id, 'usage', 'implement', turn, attempt_no, $10::json from used
     )
     select pg_notify('guildhall_session', $1) from used`,
    [
      id,
      model,
      inputTokens,
      outputTokens,
      cachedInputTokens,
      costUsd,
      reserved.tokens,
      reserved.costUsd,
      newId('evt'),
      JSON.stringify(data),
    ],
  );
}

/** Gives back what was reserved for a call that used nothing. */
export async function releaseSpending(
  db: Database | Transaction<DB>,
  id: string,
  reserved: Settlement['reserved'],
): Promise<void> {
  await run(
    db,
    'session_release',
    `update sessions set reserved_tokens = greatest(0, reserved_tokens - $2),
       reserved_cost_usd = greatest(0, reserved_cost_usd - $3) where id = $1`,
    [id, reserved.tokens, reserved.costUsd],
  );
}

/** Runs a named statement, or as a part of a transaction. */
async function run(db: Database | Transaction<DB>, name: string, text: string, values: unknown[]): Promise<void> {
  if ('pool' in db) await named(db, name, text, values);
  else await db.executeQuery(sqlOf(text, values).compile(db));
}

/** The limit of its budget that a session reached last; `allowed` then, and `now`, null where it was taken away. */
export async function readReached(trx: Transaction<DB>, sessionId: string) {
  const text = `select e.data ->> 'limit' as "limit", (e.data ->> 'allowed')::float8 as allowed,
      (s.budget ->> (e.data ->> 'limit'))::float8 as now
    from session_events e join sessions s on s.id = e.session_id
    where e.session_id = $1 and e.kind = 'budget' order by e.seq desc limit 1`;
  const { rows } = await trx.executeQuery<{ limit: string; allowed: number; now: number | null }>(
    sqlOf(text, [sessionId]).compile(trx),
  );
  return rows[0];
}
