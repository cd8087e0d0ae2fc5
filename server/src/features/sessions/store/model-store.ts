import type { Transaction } from 'kysely';
import { named, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import type { PriceSource } from '../../../lib/models.ts';
import { sqlOf } from './run-store.ts';
import type { Budget } from '../schemas/session-schemas.ts';

/** What a session may use, has used, and has promised to calls that are under way. */
export interface Spending {
  budget: Budget;
  tokens: number;
  cost_usd: number;
  reserved_tokens: number;
  reserved_cost_usd: number;
  /** What its children may spend. */
  given_tokens: number;
  given_cost_usd: number;
}

/** The same of the session that a call is made for. */
export interface CallingSession extends Spending {
  /** Who and what the ledger says that its calls were for. */
  principal_type: string;
  principal_id: string;
  origin: string;
  repository: string;
  /** Whether groups count it too. */
  in_groups: boolean;
}

/** Of a child session the principal is whoever created the first one of its tree. */
const spending = `select budget, input_tokens + output_tokens as tokens, cost_usd, reserved_tokens, reserved_cost_usd,
    given_tokens, given_cost_usd, in_groups, origin,
    coalesce((repositories -> 0 ->> 'provider') || ':' || (repositories -> 0 ->> 'repo'), '') as repository,
    coalesce(root.type, created_by_type) as principal_type, coalesce(root.id, created_by_id) as principal_id
  from sessions left join lateral (
    with recursive parents (type, id) as (
      select created_by_type, created_by_id
      union all
      select parent.created_by_type, parent.created_by_id
      from parents join sessions parent on parents.type = 'session' and parent.id = parents.id
    )
    select type, id from parents where type <> 'session'
  ) root on true
  where sessions.id = $1 and fence = $2 and lease_owner <> ''`;

/** Undefined when the fence is no longer the session's. */
export async function readSpending(db: Database, id: string, fence: number): Promise<CallingSession | undefined> {
  return (await named<CallingSession>(db, 'session_spending', spending, [id, fence]))[0];
}

/** The same, and nothing else is decided about the session until the transaction ends. */
export async function lockSpending(
  trx: Transaction<DB>,
  id: string,
  fence: number,
): Promise<CallingSession | undefined> {
  return (await trx.executeQuery<CallingSession>(sqlOf(`${spending} for update of sessions`, [id, fence]).compile(trx)))
    .rows[0];
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

/** Who and what a call is for, as the ledger tells it: read before the call, so that it is known when the session is gone. */
export interface UsageAccount {
  orgId: string;
  principal: { type: string; id: string };
  origin: string;
  repository: string;
}

export interface Settlement {
  /** Of the record: a call that is settled again is counted once. */
  id: string;
  account: UsageAccount;
  model: string;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  /** Decimal, in whole millionths. */
  costUsd: string;
  priceSource: PriceSource;
  reserved: { tokens: number; costUsd: number };
}

/**
 * Writes what a call used into the ledger, adds it to the session's sums, gives back what was reserved for it, and tells of it
 * by an event. Without a fence: what was spent is spent, whoever works on the session by now, also when it is deleted.
 */
export async function settleSpending(db: Database | Transaction<DB>, id: string, call: Settlement): Promise<void> {
  const { account, model, inputTokens, outputTokens, cachedInputTokens, costUsd, reserved } = call;
  const data = {
    model,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cached_input_tokens: cachedInputTokens,
    cost_usd: Number(costUsd),
  };
  await run(
    db,
    'session_settle',
    `with used as (
       update sessions set last_seq = last_seq + 1, input_tokens = input_tokens + $3, output_tokens = output_tokens + $4,
         cached_input_tokens = cached_input_tokens + $5, cost_usd = cost_usd + $6::numeric,
         reserved_tokens = greatest(0, reserved_tokens - $7), reserved_cost_usd = greatest(0, reserved_cost_usd - $8)
       where id = $1 and not exists (select from usage_records where id = $11)
       returning last_seq, org_id, attempt_no, turn
     ), recorded as (
       insert into usage_records (id, org_id, session_id, principal_type, principal_id, origin, repository, provider, model,
         input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_usd, price_source)
       select $11, $12, $1, $13, $14, $15, $16, $17, $2, $3, $4, $5, $18, $6::numeric, $19
       where not exists (select from usage_records where id = $11)
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
      call.id,
      account.orgId,
      account.principal.type,
      account.principal.id,
      account.origin,
      account.repository,
      model.includes('/') ? model.slice(0, model.indexOf('/')) : '',
      call.cacheWriteTokens,
      call.priceSource,
    ],
  );
}

/** Tells whether a call is in the ledger. */
export async function isSettled(trx: Transaction<DB>, id: string): Promise<boolean> {
  const row = await trx.selectFrom('usage_records').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
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
