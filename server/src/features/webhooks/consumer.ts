import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import type { OutboxEvent } from '../../outbox/event.ts';
import { mayReceive, selects } from '../events/visibility.ts';
import { disable } from './disable.ts';
import { addPending, insertDeliveries, readBusyLanes } from './delivery-store.ts';
import { payloadOf } from './payload.ts';
import { lockReceivers } from './store.ts';

/** A receiver with more pending deliveries is disabled. */
const maxPending = 50_000;

type Receiver = Awaited<ReturnType<typeof lockReceivers>>[number];

/** Adds a delivery of each event for each receiver that wants it and may get it. */
export function createWebhookConsumer(eventTypes: () => readonly string[]): Consumer<Context> {
  return {
    name: 'webhooks.deliveries',
    // The list of all features is complete only after this one was declared.
    get types() {
      return eventTypes();
    },
    handle: async (ctx, trx, events) => {
      const receivers = await lockReceivers(trx, [...new Set(events.map(({ orgId }) => orgId))]);
      const wanted = receivers
        .map((receiver) => ({ receiver, events: eventsFor(receiver, events) }))
        .filter((one) => one.events.length > 0);
      if (wanted.length === 0) return;
      const lanes = wanted.flatMap((one) => one.events.map(laneOf));
      const busy = await readBusyLanes(
        trx,
        wanted.map(({ receiver }) => receiver.id),
        [...new Set(lanes)],
      );
      for (const { receiver, events: own } of wanted) await add(ctx, trx, receiver, own, busy);
    },
  };
}

function eventsFor(receiver: Receiver, events: readonly OutboxEvent[]): OutboxEvent[] {
  const { org_id: orgId, events: filter, scopes } = receiver;
  const granted = new Set(scopes);
  return events.filter(
    (event) =>
      event.orgId === orgId &&
      selects(filter, event.type) &&
      mayReceive(granted, event) &&
      !isOwnFailure(receiver, event),
  );
}

/** Returns true for the failure of a delivery to this receiver: refusing it would lead to the next one. */
function isOwnFailure({ id }: Receiver, { type, resource }: OutboxEvent): boolean {
  return type === 'webhook.delivery_failed' && resource.id === id;
}

async function add(
  ctx: Context,
  trx: Transaction<DB>,
  receiver: Receiver,
  events: readonly OutboxEvent[],
  busy: Set<string>,
): Promise<void> {
  const now = ctx.clock.now();
  if (receiver.pending + events.length > maxPending) return disable(trx, receiver, 'backlog', now);
  const rows = events.map((event) => {
    const lane = laneOf(event);
    const name = `${receiver.id} ${lane}`;
    const isFirst = !busy.has(name);
    busy.add(name);
    return {
      org_id: event.orgId,
      webhook_id: receiver.id,
      lane,
      event_seq: event.seq,
      type: event.type,
      resource_type: event.resource.type,
      resource_id: event.resource.id,
      payload: payloadOf(event),
      state: 'pending' as const,
      due_at: isFirst ? now : null,
      created_at: now,
    };
  });
  await insertDeliveries(trx, rows);
  await addPending(trx, receiver.id, rows.length);
  await ctx.jobs.enqueue(trx, 'webhook', { webhook_id: receiver.id }, { singletonKey: receiver.id });
}

function laneOf({ resource }: OutboxEvent): string {
  return `${resource.type}:${resource.id}`;
}
