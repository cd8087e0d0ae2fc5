import type { Transaction } from 'kysely';
import type { Context } from '../app/context.ts';
import { isDatabaseAway } from '../db/outage.ts';
import type { DB } from '../db/types.ts';
import { messageOf } from '../lib/errors.ts';
import { atMostEvery } from '../lib/rarely.ts';
import { createWakeup } from '../lib/wakeup.ts';
import type { OutboxEvent } from './event.ts';
import { moveCursors, noteFailure, takeEvents } from './store.ts';

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
/** The polling interval, for events without a notification, and for consumers that wait after a failure. */
const lookEveryMs = 1_000;
const firstRetryMs = 1_000;
const mostRetryMs = 60_000;

/**
 * Runs consumers in this process until `signal` aborts, and looks for events at each notification; of several processes
 * one at a time handles the events of a consumer.
 */
export async function runConsumers<Needs extends ConsumerContext>(
  ctx: Needs,
  consumers: readonly Consumer<Needs>[],
  signal: AbortSignal,
): Promise<void> {
  const wakeup = createWakeup();
  const unsubscribe = ctx.notifications.subscribe('guildhall_outbox', undefined, wakeup.notify);
  signal.addEventListener('abort', wakeup.notify, { once: true });
  while (!signal.aborted) {
    wakeup.reset();
    const mayHaveMore = await look(ctx, consumers, signal);
    if (!mayHaveMore) await wakeup.wait(lookEveryMs);
  }
  unsubscribe();
}

/**
 * Handles new events once, in one transaction; if it fails, each consumer in its own, so that one that fails keeps no
 * other one waiting. Returns true if there may be more.
 */
async function look<Needs extends ConsumerContext>(
  ctx: Needs,
  consumers: readonly Consumer<Needs>[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await consumeBatch(ctx, consumers);
  } catch (error) {
    const [only, ...others] = consumers;
    if (only !== undefined && others.length === 0) await noteProblem(ctx, only, error);
    // Without the database each of them may take long to fail.
    else for (const consumer of consumers) if (!signal.aborted) await look(ctx, [consumer], signal);
    return false;
  }
}

/** Logged once for an outage, which fails all consumers of a process. */
const logOutage = atMostEvery(10_000);

async function noteProblem<Needs extends ConsumerContext>(
  ctx: Needs,
  { name }: Consumer<Needs>,
  error: unknown,
): Promise<void> {
  const problem = messageOf(error);
  if (isDatabaseAway(error)) logOutage(() => ctx.log.warn({ reason: problem }, 'domain events wait for the database'));
  else ctx.log.warn({ consumer: name, reason: problem }, 'a consumer of domain events failed and will be retried');
  const failure = { problem, now: ctx.clock.now(), firstMs: firstRetryMs, mostMs: mostRetryMs };
  await noteFailure(ctx.db.kysely, name, failure).catch(() => undefined);
}

/** Handles the next events and moves the cursors, in one transaction; returns true if there may be more. */
async function consumeBatch<Needs extends ConsumerContext>(
  ctx: Needs,
  consumers: readonly Consumer<Needs>[],
): Promise<boolean> {
  const names = consumers.map(({ name }) => name);
  return ctx.db.transaction(async (trx) => {
    const { positions, events } = await takeEvents(trx, names, { now: ctx.clock.now(), limit: batch });
    const last = events.at(-1);
    if (last === undefined) return false;
    for (const consumer of consumers) {
      const after = positions.get(consumer.name);
      if (after === undefined) continue;
      const own = events.filter(({ position, type }) => position > after && consumer.types.includes(type));
      if (own.length > 0) await consumer.handle(ctx, trx, own);
    }
    await moveCursors(trx, [...positions.keys()], last.position);
    return events.length === batch;
  });
}
