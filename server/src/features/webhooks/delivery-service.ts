import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { createTurns } from '../../lib/turns.ts';
import { mutate } from '../../mutation/mutate.ts';
import { attempt, receiverOf, type SendContext } from './attempt.ts';
import { deliveriesQuery, insertDeliveries, listDeliveryRows, logOf, readDelivery, requeue } from './delivery-store.ts';
import { payloadOf } from './payload.ts';
import { deliveryStates } from './schemas.ts';
import { getWebhook } from './service.ts';
import { lockWebhook, updateWebhookRow } from './store.ts';

/** Limits tests, because requests wait for them. */
const turns = createTurns('tests of webhooks', { each: 2, total: 16, waiting: 10, maxWaitMs: 60_000 });

/** Throws 404 `webhook_not_found`. */
export async function listDeliveries(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  id: string,
  query: PageQuery & { state?: string },
) {
  const orgId = caller.organization.id;
  const states = filterValues('state', query.state, deliveryStates);
  await getWebhook(ctx, caller, id);
  const rows = deliveriesQuery(ctx.db.kysely, orgId, id, states);
  const page = await paginate({
    list: 'webhook_deliveries',
    filters: { id, states },
    query,
    rows: (after, limit) => listDeliveryRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(toApiShape) };
}

/** Sends a test and returns its delivery; a failure is a result. Throws 404 `webhook_not_found`. */
export async function testWebhook(ctx: SendContext & Pick<Context, 'closing'>, caller: Caller, id: string) {
  const orgId = caller.organization.id;
  const receiver = await receiverOf(ctx, orgId, id);
  if (receiver === undefined) throw notFound('webhook', id);
  const at = ctx.clock.now();
  const { type: actorType, id: actorId } = caller.principal;
  const event = {
    orgId,
    seq: 0,
    type: 'webhook.test',
    at,
    resource: { type: 'webhook', id },
    actor: { type: actorType, id: actorId },
    data: {},
  };
  const payload = payloadOf(event);
  const messageId = newId('dlv', at.getTime());
  const result = await turns.run(orgId, () => attempt(ctx, receiver, { id: messageId, payload }, ctx.closing));
  const endedAt = ctx.clock.now();
  const ok = result.problem === '';
  return mutate(ctx, caller, async (trx, audit) => {
    if ((await lockWebhook(trx, orgId, id)) === undefined) throw notFound('webhook', id);
    await insertDeliveries(trx, [
      {
        id: messageId,
        org_id: orgId,
        webhook_id: id,
        lane: messageId,
        event_seq: 0,
        type: event.type,
        resource_type: 'webhook',
        resource_id: id,
        payload,
        state: ok ? 'delivered' : 'failed',
        attempts: 1,
        ...result,
        attempt_log: logOf(result, endedAt),
        created_at: at,
        ended_at: endedAt,
      },
    ]);
    audit({ action: 'webhook.test', resource: { type: 'webhook', id }, changes: { ok }, data: { ok } });
    return requireDelivery(trx, caller, id, messageId);
  });
}

/** Throws 404 `webhook_not_found`, `delivery_not_found`, 409 `conflict` if the webhook is disabled. */
export async function redeliver(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  caller: Caller,
  id: string,
  deliveryId: string,
) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const hook = await lockWebhook(trx, orgId, id);
    if (hook === undefined) throw notFound('webhook', id);
    const before = await requireDelivery(trx, caller, id, deliveryId);
    if (!hook.enabled) throw new AppError('conflict', 'This webhook is disabled. Enable it first.');
    await requeue(trx, before, ctx.clock.now());
    // Somebody expects that the receiver answers again.
    await updateWebhookRow(trx, id, { paused_until: null });
    await ctx.jobs.enqueue(trx, 'webhook', { webhook_id: id }, { singletonKey: id });
    audit({
      action: 'webhook.redeliver',
      resource: { type: 'webhook', id },
      changes: { delivery_id: deliveryId },
      data: { delivery_id: deliveryId },
    });
    return requireDelivery(trx, caller, id, deliveryId);
  });
}

async function requireDelivery(trx: Transaction<DB>, caller: Actor, id: string, deliveryId: string) {
  const row = await readDelivery(trx, caller.organization.id, id, deliveryId);
  if (row === undefined) throw notFound('delivery', deliveryId);
  return toApiShape(row);
}

type DeliveryRow = NonNullable<Awaited<ReturnType<typeof readDelivery>>>;

function toApiShape(row: DeliveryRow) {
  const { resource_type, resource_id, due_at, payload, attempt_log, ...shown } = row;
  return {
    ...shown,
    attempt_log: attempt_log.map((one) => ({ ...one, at: new Date(one.at) })),
    resource: { type: resource_type, id: resource_id },
    next_attempt_at: due_at,
    request_body: payload,
  };
}
