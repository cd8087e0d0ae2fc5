import { messageOf } from '../lib/errors.ts';
import { createWakeup, type Wakeup } from '../lib/wakeup.ts';
import type { Consumer, ConsumerContext } from './consumer.ts';
import { readHead, readTypes } from './store.ts';

/** A consumer of this process, and what wakes it. */
export interface Sleeper {
  readonly consumer: Pick<Consumer<never>, 'types'>;
  readonly wakeup: Pick<Wakeup, 'notify'>;
}

/** The polling interval, for a lost notification. */
const lookEveryMs = 5_000;
/** The most events that are read at once; more wake every consumer. */
const most = 1_000;

/**
 * Wakes the consumers of this process when there are events of their types, until `signal` aborts. One read serves all
 * consumers: most events concern few of them, and a transaction in each of them is expensive.
 */
export async function wakeConsumers(
  ctx: ConsumerContext,
  sleepers: readonly Sleeper[],
  signal: AbortSignal,
): Promise<void> {
  const wakeup = createWakeup();
  const unsubscribe = ctx.notifications.subscribe('guildhall_outbox', undefined, wakeup.notify);
  signal.addEventListener('abort', wakeup.notify, { once: true });
  let seen: number | undefined;
  try {
    while (!signal.aborted) {
      await wakeup.wait(lookEveryMs);
      if (signal.aborted) return;
      wakeup.reset();
      seen = await wakeAfter(ctx, sleepers, seen);
    }
  } finally {
    unsubscribe();
  }
}

/**
 * Wakes the consumers of events after a position, or all of them if it is not known; returns the position of the last
 * event, or undefined if it is not known.
 */
async function wakeAfter(
  ctx: ConsumerContext,
  sleepers: readonly Sleeper[],
  seen: number | undefined,
): Promise<number | undefined> {
  try {
    if (seen === undefined) {
      const head = await readHead(ctx.db.kysely);
      for (const { wakeup } of sleepers) wakeup.notify();
      return head;
    }
    const events = await readTypes(ctx.db, seen, most);
    const isFull = events.length === most;
    const types = new Set(events.map(({ type }) => type));
    for (const { consumer, wakeup } of sleepers)
      if (isFull || consumer.types.some((type) => types.has(type))) wakeup.notify();
    return isFull ? undefined : (events.at(-1)?.position ?? seen);
  } catch (error) {
    ctx.log.warn({ reason: messageOf(error) }, 'cannot read the types of domain events');
    return seen;
  }
}
