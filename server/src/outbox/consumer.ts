import type { Transaction } from 'kysely';
import type { Context } from '../app/context.ts';
import type { DB } from '../db/types.ts';
import type { Wakeup } from '../lib/wakeup.ts';
import { messageOf } from '../lib/errors.ts';
import type { OutboxEvent } from './event.ts';
import { moveCursor, noteFailure, takeEvents } from './store.ts';

/**
 * Handles events of some types, each at least once and in order. A new consumer starts with events after its first
 * start.
 */
export interface Consumer<Needs> {
  /** Unique and permanent: the name of its cursor. */
  name: string;
  types: readonly string[];
  /**
   * Handles up to {@link batch} events, in the transaction that moves the cursor: writes with `trx` happen once. Must
   * not wait for anything external; enqueue a job instead. Throw to retry with growing delays.
   */
  handle(ctx: Needs, trx: Transaction<DB>, events: readonly OutboxEvent[]): Promise<void>;
}

export type ConsumerContext = Pick<Context, 'db' | 'clock' | 'log' | 'notifications'>;

const batch = 100;
/** The polling interval, for events without a wake-up, and for moving the cursor past events of other types. */
const lookEveryMs = 5_000;
const firstRetryMs = 1_000;
const mostRetryMs = 60_000;

/**
 * Runs a consumer in this process until `signal` aborts, and looks for events at each wake-up; of several processes one
 * at a time handles events.
 */
export async function runConsumer<Needs extends ConsumerContext>(
  ctx: Needs,
  consumer: Consumer<Needs>,
  { wakeup, signal }: { wakeup: Wakeup; signal: AbortSignal },
): Promise<void> {
  signal.addEventListener('abort', wakeup.notify, { once: true });
  while (!signal.aborted) {
    wakeup.reset();
    const restMs = await look(ctx, consumer);
    if (restMs > 0) await wakeup.wait(restMs);
  }
}

/** Handles new events once; returns how long to wait before the next time. */
async function look<Needs extends ConsumerContext>(ctx: Needs, consumer: Consumer<Needs>): Promise<number> {
  const { name } = consumer;
  try {
    return (await consumeBatch(ctx, consumer)) ? 0 : lookEveryMs;
  } catch (error) {
    const problem = messageOf(error);
    ctx.log.warn({ consumer: name, reason: problem }, 'a consumer of domain events failed and will be retried');
    const failure = { problem, now: ctx.clock.now(), firstMs: firstRetryMs, mostMs: mostRetryMs };
    const waitMs = await noteFailure(ctx.db.kysely, name, failure).catch(() => firstRetryMs);
    return Math.min(waitMs, lookEveryMs);
  }
}

/** Handles the next events and moves the cursor, in one transaction; returns true if there may be more. */
async function consumeBatch<Needs extends ConsumerContext>(ctx: Needs, consumer: Consumer<Needs>): Promise<boolean> {
  return ctx.db.transaction(async (trx) => {
    const next = await takeEvents(trx, consumer, { now: ctx.clock.now(), limit: batch });
    if (next === undefined) return false;
    const { head, events } = next;
    if (events.length > 0) await consumer.handle(ctx, trx, events);
    const isFull = events.length === batch;
    await moveCursor(trx, consumer.name, isFull ? (events.at(-1)?.position ?? head) : head);
    return isFull;
  });
}
