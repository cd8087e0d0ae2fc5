import { CompiledQuery, type Transaction } from 'kysely';
import { named, rowsOf, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import type { PriceSource } from '../../../lib/models.ts';
import type { Budget } from '../schemas/session-schemas.ts';
import { newsColumns, tellStreams } from './event-news.ts';

/** The budget of a session, its usage, and its reservations for running calls. */
export interface Spending {
  budget: Budget;
  tokens: number;
  cost_usd: number;
  reserved_tokens: number;
  reserved_cost_usd: number;
  /** The budgets of its children. */
  given_tokens: number;
  given_cost_usd: number;
}

/** The same for the session of a call. */
export interface CallingSession extends Spending {
  /** The principal and the place that usage records name. */
  principal_type: string;
  principal_id: string;
  origin: string;
  repository: string;
  /** True if groups count it too. */
  in_groups: boolean;
  /** True if the organization or its repositories may limit what it costs. */
  limited: boolean;
}

/** For a child session, the principal is the creator of the tree's root. */
const spending = `select budget, input_tokens + output_tokens as tokens, cost_usd, reserved_tokens, reserved_cost_usd,
    given_tokens, given_cost_usd, in_groups, origin,
    exists (select from settings t where t.org_id = sessions.org_id and t.namespace = 'budgets')
      or exists (select from guardrails g where g.org_id = sessions.org_id and g.at_dispatch) as limited,
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

/** Returns undefined if the run no longer owns the session. */
export async function readSpending(db: Database, id: string, fence: number): Promise<CallingSession | undefined> {
  return (await named<CallingSession>(db, 'session_spending', spending, [id, fence]))[0];
}

/** The same, with a lock on the session until the transaction ends. */
export async function lockSpending(
  trx: Transaction<DB>,
  id: string,
  fence: number,
): Promise<CallingSession | undefined> {
  return (await trx.executeQuery<CallingSession>(CompiledQuery.raw(`${spending} for update of sessions`, [id, fence])))
    .rows[0];
}

/** A call that is permitted: the most that it can use, and its account. */
export interface Reservation {
  id: string;
  account: UsageAccount;
  model: string;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

const held = (
  from: string,
) => `insert into reserved_calls (id, org_id, session_id, fence, principal_type, principal_id, origin,
    repository, model, input_tokens, output_tokens, cost_usd)
  select $3, $4, $1, $2, $5, $6, $7, $8, $9, $10, $11, $12 from ${from}`;
const addition = `reserved_tokens = reserved_tokens + $10 + $11, reserved_cost_usd = reserved_cost_usd + $12`;

function heldValues({ id, fence }: { id: string; fence: number }, call: Reservation): unknown[] {
  const { orgId, principal, origin, repository } = call.account;
  const account = [orgId, principal.type, principal.id, origin, repository];
  return [id, fence, call.id, ...account, call.model, call.inputTokens, call.outputTokens, call.costUsd];
}

/** Reserves the maximum usage of a call for a locked session. */
export async function addReserved(
  trx: Transaction<DB>,
  session: { id: string; fence: number },
  call: Reservation,
): Promise<void> {
  const text = `with mine as (update sessions set ${addition} where id = $1 returning id) ${held('mine')}`;
  await trx.executeQuery(CompiledQuery.raw(text, heldValues(session, call)));
}

/** The session whose run still owns it. */
const owned = `update sessions set ${addition} where id = $1 and fence = $2 and lease_owner <> ''`;
const unchanged = `input_tokens + output_tokens = $13 and reserved_tokens = $14 and given_tokens = $15 and given_cost_usd = $16`;

/**
 * Reserves the maximum usage of a call, if the run still owns the session and, with `seen`, if the session's usage and
 * reservations have not changed since.
 */
export async function reserveSpending(
  db: Database,
  session: { id: string; fence: number },
  call: Reservation,
  seen: Spending | undefined,
): Promise<boolean> {
  const values = heldValues(session, call);
  const rows =
    seen === undefined
      ? await named(
          db,
          'session_reserve_any',
          `with mine as (${owned} returning id) ${held('mine')} returning id`,
          values,
        )
      : await named(
          db,
          'session_reserve',
          `with mine as (${owned} and ${unchanged} returning id) ${held('mine')} returning id`,
          [...values, seen.tokens, seen.reserved_tokens, seen.given_tokens, seen.given_cost_usd],
        );
  return rows.length === 1;
}

/**
 * The account of a call in the usage records; read before the call, so that it is known even if the session is deleted.
 */
export interface UsageAccount {
  orgId: string;
  principal: { type: string; id: string };
  origin: string;
  repository: string;
}

export interface Settlement {
  /** The id of the record, so that repeated settlements count once. */
  id: string;
  account: UsageAccount;
  model: string;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  /** Decimal, in whole millionths. */
  costUsd: string;
  /** `reserved`: the call was lost, and this is the most that it can have used. */
  priceSource: PriceSource | 'reserved';
  reserved: { tokens: number; costUsd: number };
}

/**
 * Adds a call to the usage records and to the session's totals, releases its reservation, and appends its event. Not
 * fenced: the usage is real, even if another worker owns the session now or it was deleted.
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
  await rowsOf(
    db,
    'session_settle',
    `with held as (
       delete from reserved_calls where id = $11
     ), used as (
       update sessions set last_seq = last_seq + 1, input_tokens = input_tokens + $3, output_tokens = output_tokens + $4,
         cached_input_tokens = cached_input_tokens + $5, cost_usd = cost_usd + $6::numeric,
         reserved_tokens = greatest(0, reserved_tokens - $7), reserved_cost_usd = greatest(0, reserved_cost_usd - $8)
       where id = $1 and not exists (select from usage_records where id = $11)
       returning last_seq, org_id, attempt_no, turn
     ), recorded as (
       insert into usage_records (id, org_id, session_id, principal_type, principal_id, origin, repository, provider, model,
         input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_usd, price_source, automation_id, tags,
         group_ids)
       select $11, $12, $1, $13, $14, $15, $16, $17, $2, $3, $4, $5, $18, $6::numeric, $19, coalesce(a.automation_id, ''),
         coalesce(a.tags, '{}'), coalesce(a.group_ids, '{}')
       from (select) one left join session_account($1) a on true
       where not exists (select from usage_records where id = $11)
     ), appended as (
       insert into session_events (session_id, seq, id, org_id, kind, phase, turn, attempt_no, data)
       select $1, last_seq, $9, org_id, 'usage', 'implement', turn, attempt_no, $10::json from used
       returning ${newsColumns}
     )
     select ${tellStreams('$1')} from used`,
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

/** Returns true if a call is in the usage records. */
export async function isSettled(trx: Transaction<DB>, id: string): Promise<boolean> {
  const row = await trx.selectFrom('usage_records').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Releases the reservation of a call without usage; once. */
export async function releaseSpending(
  db: Database | Transaction<DB>,
  id: string,
  { id: callId, reserved }: Pick<Settlement, 'id' | 'reserved'>,
): Promise<void> {
  await rowsOf(
    db,
    'session_release',
    `with held as (delete from reserved_calls where id = $4 returning id)
     update sessions set reserved_tokens = greatest(0, reserved_tokens - $2),
       reserved_cost_usd = greatest(0, reserved_cost_usd - $3) where id = $1 and exists (select from held)`,
    [id, reserved.tokens, reserved.costUsd, callId],
  );
}

/** The limit that a session last reached. */
export interface Reached {
  limit: string;
  allowed: number;
  at: Date;
  /** The group whose limit it is; `''` for another limit. */
  group_id: string;
  /** The current value of a limit of the session's own; null if it has none. */
  now: number | null;
}

export async function readReached(trx: Transaction<DB>, sessionId: string): Promise<Reached | undefined> {
  const text = `select e.data ->> 'limit' as "limit", (e.data ->> 'allowed')::float8 as allowed, e.created_at as at,
      coalesce(e.data ->> 'group_id', '') as group_id, (s.budget ->> (e.data ->> 'limit'))::float8 as now
    from session_events e join sessions s on s.id = e.session_id
    where e.session_id = $1 and e.kind = 'budget' order by e.seq desc limit 1`;
  return (await trx.executeQuery<Reached>(CompiledQuery.raw(text, [sessionId]))).rows[0];
}
