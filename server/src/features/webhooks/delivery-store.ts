import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import { newId } from '../../lib/ids.ts';
import type { deliveryStates } from './schemas.ts';

type DeliveryState = (typeof deliveryStates)[number];

interface DeliveryJson {
  attempt_log: LoggedAttempt[];
}

const shown = [
  'id',
  'webhook_id',
  'event_seq',
  'type',
  'resource_type',
  'resource_id',
  'state',
  'attempts',
  'due_at',
  'status_code',
  'problem',
  'payload',
  'response_body',
  'duration_ms',
  'attempt_log',
  'created_at',
  'ended_at',
] as const;

export function deliveriesQuery(
  db: Kysely<DB>,
  orgId: string,
  webhookId: string,
  states: readonly DeliveryState[] = [],
) {
  return db
    .selectFrom('webhook_deliveries')
    .$narrowType<{ state: DeliveryState }>()
    .where('org_id', '=', orgId)
    .where('webhook_id', '=', webhookId)
    .$if(states.length > 0, (query) => query.where('state', 'in', states));
}

export async function listDeliveryRows(
  query: ReturnType<typeof deliveriesQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown).$narrowType<DeliveryJson>(), after, limit).execute();
}

export async function readDelivery(db: Kysely<DB>, orgId: string, webhookId: string, id: string) {
  return deliveriesQuery(db, orgId, webhookId)
    .select(shown)
    .$narrowType<DeliveryJson>()
    .where('id', '=', id)
    .executeTakeFirst();
}

type NewDelivery = Omit<Insertable<DB['webhook_deliveries']>, 'id' | 'position'> & { id?: string };

/** Inserts deliveries in order; returns their ids. */
export async function insertDeliveries(trx: Transaction<DB>, rows: readonly NewDelivery[]): Promise<string[]> {
  const made = rows.map((row) => ({ ...row, id: row.id ?? newId('dlv', new Date(row.created_at).getTime()) }));
  for (let at = 0; at < made.length; at += 500)
    await trx
      .insertInto('webhook_deliveries')
      .values(made.slice(at, at + 500))
      .execute();
  return made.map(({ id }) => id);
}

/** Returns the lanes of these webhooks with a pending delivery, each as `<webhook> <lane>`. */
export async function readBusyLanes(
  trx: Transaction<DB>,
  webhookIds: readonly string[],
  lanes: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ webhook_id: string; lane: string }>`
    select distinct webhook_id, lane from webhook_deliveries
    where state = 'pending' and webhook_id = any(${[...webhookIds]}::text[]) and lane = any(${[...lanes]}::text[])`.execute(
    trx,
  );
  return new Set(rows.map(({ webhook_id, lane }) => `${webhook_id} ${lane}`));
}

export async function addPending(trx: Transaction<DB>, webhookId: string, count: number): Promise<void> {
  await trx
    .updateTable('webhooks')
    .set({ pending: sql<number>`pending + ${count}` })
    .where('id', '=', webhookId)
    .execute();
}

/** The condition for requests: the webhook `w` is enabled, and the operator did not suspend its organization. */
const isSending = sql`w.enabled and exists (select from organizations o where o.id = w.org_id and o.state <> 'suspended')`;

/** An attempt that may be made now; `attempts` is its fencing token. */
export interface Claim {
  id: string;
  payload: string;
  attempts: number;
  created_at: Date;
}

/**
 * Claims due deliveries of a webhook, so that at most `each` of them are attempted at once by all processes, and one
 * while the receiver fails. None of a disabled or paused webhook, or of a suspended organization.
 */
export async function claimDue(
  trx: Transaction<DB>,
  webhookId: string,
  { now, until, each }: { now: Date; until: Date; each: number },
): Promise<Claim[]> {
  const { rows: hooks } = await sql<{ failing: boolean }>`
    select w.failing_since is not null as failing from webhooks w
    where w.id = ${webhookId} and ${isSending} and (w.paused_until is null or w.paused_until <= ${now}) for update`.execute(
    trx,
  );
  const [hook] = hooks;
  if (hook === undefined) return [];
  const { rows } = await sql<Claim>`
    update webhook_deliveries set attempts = attempts + 1, leased_until = ${until}, due_at = ${until}
    where id in (
      select id from webhook_deliveries where webhook_id = ${webhookId} and state = 'pending' and due_at <= ${now}
      order by due_at, position
      limit greatest(0, ${hook.failing ? 1 : each}::int - (
        select count(*) from webhook_deliveries where webhook_id = ${webhookId} and leased_until > ${now})))
    returning id, payload, attempts, created_at`.execute(trx);
  return rows;
}

/** The result of an attempt. */
export interface Result {
  status_code: number | null;
  problem: string;
  response_body: string;
  duration_ms: number;
}

/** An attempt in the log of its delivery; `at` is its end. */
export interface LoggedAttempt {
  at: string;
  status_code: number | null;
  problem: string;
  duration_ms: number;
}

/** Attempts that a delivery's log keeps. */
const mostLogged = 30;

/** Returns a log with one attempt, as JSON. */
export function logOf({ status_code, problem, duration_ms }: Result, at: Date): string {
  return JSON.stringify([{ at: at.toISOString(), status_code, problem: problem.slice(0, 300), duration_ms }]);
}

function logged(result: Result, at: Date) {
  return sql`case when jsonb_array_length(attempt_log) >= ${mostLogged} then attempt_log - 0 else attempt_log end
    || ${logOf(result, at)}::jsonb`;
}

/** Locks the webhook; returns its state, or undefined if it was deleted. */
export async function lockForResult(trx: Transaction<DB>, webhookId: string) {
  return trx
    .selectFrom('webhooks')
    .select(['id', 'org_id', 'enabled', 'failing_since', 'noticed_at', 'pending'])
    .where('id', '=', webhookId)
    .forUpdate()
    .executeTakeFirst();
}

/** Writes the result of an attempt that succeeded or was the last; returns false if another attempt took over. */
export async function endDelivery(
  trx: Transaction<DB>,
  claim: Pick<Claim, 'id' | 'attempts'>,
  result: Result & { state: 'delivered' | 'failed'; now: Date },
): Promise<boolean> {
  const { now, ...change } = result;
  const { rows } = await sql<{ webhook_id: string; lane: string }>`
    update webhook_deliveries set state = ${change.state}, status_code = ${change.status_code},
      problem = ${change.problem}, response_body = ${change.response_body}, duration_ms = ${change.duration_ms},
      attempt_log = ${logged(change, now)}, due_at = null, leased_until = null, ended_at = ${now}
    where id = ${claim.id} and state = 'pending' and attempts = ${claim.attempts}
    returning webhook_id, lane`.execute(trx);
  const [ended] = rows;
  if (ended === undefined) return false;
  await sql`update webhook_deliveries set due_at = ${now} where due_at is null and id = (
    select id from webhook_deliveries where webhook_id = ${ended.webhook_id} and lane = ${ended.lane} and state = 'pending'
    order by position limit 1)`.execute(trx);
  await addPending(trx, ended.webhook_id, -1);
  return true;
}

/** Writes the result of a failed attempt that is repeated at `dueAt`. */
export async function postpone(
  trx: Transaction<DB>,
  claim: Pick<Claim, 'id' | 'attempts'>,
  { dueAt, now, ...result }: Result & { dueAt: Date; now: Date },
): Promise<void> {
  await trx
    .updateTable('webhook_deliveries')
    .set({ ...result, attempt_log: logged(result, now), due_at: dueAt, leased_until: null })
    .where('id', '=', claim.id)
    .where('state', '=', 'pending')
    .where('attempts', '=', claim.attempts)
    .execute();
}

/** Makes all waiting attempts of a webhook due, because its receiver works again or changed. */
export async function pullForward(trx: Transaction<DB>, webhookId: string, now: Date): Promise<void> {
  await trx
    .updateTable('webhook_deliveries')
    .set({ due_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .where('due_at', '>', now)
    .where('leased_until', 'is', null)
    .execute();
}

/** Ends all pending deliveries of a webhook as failed. */
export async function failPending(trx: Transaction<DB>, webhookId: string, now: Date): Promise<void> {
  await trx
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', due_at: null, leased_until: null, ended_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .execute();
  await trx.updateTable('webhooks').set({ pending: 0 }).where('id', '=', webhookId).execute();
}

/** Makes a delivery due now: an ended one apart from its lane, a pending one unless an earlier one of its lane is. */
export async function requeue(
  trx: Transaction<DB>,
  delivery: { id: string; webhook_id: string; state: DeliveryState },
  now: Date,
): Promise<void> {
  if (delivery.state === 'pending') {
    await sql`update webhook_deliveries set due_at = ${now} where id = ${delivery.id} and leased_until is null and due_at is not null`.execute(
      trx,
    );
    return;
  }
  await trx
    .updateTable('webhook_deliveries')
    .set({ state: 'pending', lane: delivery.id, due_at: now, leased_until: null, ended_at: null })
    .where('id', '=', delivery.id)
    .execute();
  await addPending(trx, delivery.webhook_id, 1);
}

/** Returns when a webhook's next attempt is due; undefined for none. */
export async function readNextDue(db: Kysely<DB>, webhookId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select greatest(min(d.due_at), max(w.paused_until)) as at
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.webhook_id = ${webhookId} and d.state = 'pending' and d.due_at is not null and ${isSending}`.execute(db);
  return rows[0]?.at ?? undefined;
}

/** Returns webhooks with a delivery that was due before an instant. */
export async function listOverdue(db: Kysely<DB>, before: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from webhooks w where ${isSending} and w.pending > 0 and (w.paused_until is null or w.paused_until < ${before})
      and exists (select from webhook_deliveries d where d.webhook_id = w.id and d.state = 'pending' and d.due_at < ${before})
    order by w.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes ended deliveries that ended before an instant; returns their number. */
export async function deleteEnded(db: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where ended_at < ${before} order by ended_at limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes the oldest ended deliveries of a webhook beyond the newest `keep` ones. */
export async function deleteBeyond(db: Kysely<DB>, webhookId: string, keep: number): Promise<void> {
  await sql`delete from webhook_deliveries where webhook_id = ${webhookId} and state <> 'pending' and id < (
    select id from webhook_deliveries where webhook_id = ${webhookId} order by id desc offset ${keep - 1} limit 1)`.execute(
    db,
  );
}

/** Returns up to `limit` webhooks after an id. */
export async function listWebhookIds(db: Kysely<DB>, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
