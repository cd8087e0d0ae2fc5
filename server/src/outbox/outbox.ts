import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../lib/errors.ts';
import { runConsumers, type Consumer, type ConsumerContext } from './consumer.ts';
import { deletePassed, hasPending, insertCursors, lockOrder, placePending, refreshCursors } from './store.ts';

/** The interval at which a process checks for events without a position. */
const lookEveryMs = 300;
const afterFailureMs = 2_000;
const batch = 2_000;
const dayMs = 24 * 60 * 60_000;
/** The minimum time for which events can be read again, in milliseconds. */
export const retentionMs = dayMs;
/** A consumer that no process has registered for this long is deleted. */
const goneAfterMs = 7 * dayMs;

/** Orders published events, and runs the consumers. Returns a function that stops it. */
export async function startOutbox<Needs extends ConsumerContext>(
  ctx: Needs,
  consumers: readonly Consumer<Needs>[],
): Promise<() => Promise<void>> {
  await insertCursors(
    ctx.db.kysely,
    consumers.map(({ name }) => name),
  );
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = [keepOrder(ctx, signal), runConsumers(ctx, consumers, signal)];
  return async () => {
    stopping.abort();
    await Promise.all(ended);
  };
}

/**
 * Orders events, in one process at a time. It polls instead of being notified, because a notification in each mutation
 * would serialize their commits (ADR 0012).
 */
async function keepOrder(ctx: ConsumerContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const ms = await look(ctx);
    if (ms > 0) await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function look(ctx: ConsumerContext): Promise<number> {
  try {
    return (await hasPending(ctx.db)) && (await placeEvents(ctx)) === batch ? 0 : lookEveryMs;
  } catch (error) {
    ctx.log.warn({ reason: messageOf(error) }, 'cannot order domain events');
    return afterFailureMs;
  }
}

/** Assigns positions to the oldest events without one; returns their number, 0 while another process does it. */
async function placeEvents(ctx: Pick<ConsumerContext, 'db'>): Promise<number> {
  return ctx.db.transaction(async (trx) => ((await lockOrder(trx)) ? placePending(trx, batch) : 0));
}

/** Deletes old events that every consumer has handled, and unregistered consumers. */
export async function deleteOldEvents(
  ctx: Pick<ConsumerContext, 'db' | 'clock'>,
  consumers: readonly Pick<Consumer<never>, 'name'>[],
): Promise<void> {
  const now = ctx.clock.now();
  const ago = (ms: number): Date => new Date(now.getTime() - ms);
  const names = consumers.map(({ name }) => name);
  await refreshCursors(ctx.db.kysely, names, { now, goneBefore: ago(goneAfterMs) });
  while ((await deletePassed(ctx.db.kysely, ago(retentionMs), batch)) === batch);
}
