import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../lib/errors.ts';
import { runConsumer, type Consumer, type ConsumerContext } from './consumer.ts';
import { deletePassed, hasPending, insertCursors, lockOrder, placePending, refreshCursors } from './store.ts';

/** How often a process looks for events that have no place yet. */
const lookEveryMs = 300;
const afterFailureMs = 2_000;
const batch = 2_000;
const dayMs = 24 * 60 * 60_000;
/** How long events can be read again, at least. */
export const retentionMs = dayMs;
/** A consumer that no process has known for this long is no more. */
const goneAfterMs = 7 * dayMs;

/** Gives published events their places, and lets consumers handle them. Answers how to stop. */
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
  const ended = [keepOrder(ctx, signal), ...consumers.map((consumer) => runConsumer(ctx, consumer, signal))];
  return async () => {
    stopping.abort();
    await Promise.all(ended);
  };
}

/**
 * Every process does so, one at a time. It looks often instead of being notified, because a notification in each mutation would
 * make their commits wait for each other (ADR 0012).
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
    ctx.log.warn({ reason: messageOf(error) }, 'domain events could not be put into order');
    return afterFailureMs;
  }
}

/** Gives the oldest events without one their places; answers how many. None while another process is at it. */
async function placeEvents(ctx: Pick<ConsumerContext, 'db'>): Promise<number> {
  return ctx.db.transaction(async (trx) => ((await lockOrder(trx)) ? placePending(trx, batch) : 0));
}

/** Removes what is old and was handled by every consumer, and forgets consumers that are no more. */
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
