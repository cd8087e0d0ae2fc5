import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { readWaiting, type Receiver } from './store.ts';

/** Everything within this time is told in one message. */
const collectMs = 30_000;
/** The minimum time between two messages to one receiver. */
const betweenMs = 5 * 60_000;

/** Returns when a receiver may get its next message; undefined if nothing waits. */
export async function nextMessageAt(db: Context['db']['kysely'], receiver: Receiver): Promise<Date | undefined> {
  const waiting = await readWaiting(db, receiver);
  if (waiting === undefined) return undefined;
  const collected = waiting.oldest.getTime() + collectMs;
  return new Date(Math.max(collected, (waiting.sentAt?.getTime() ?? 0) + betweenMs));
}

/** Enqueues the next message to a receiver, if something waits for it. */
export async function schedule(ctx: Pick<Context, 'jobs'>, trx: Transaction<DB>, receiver: Receiver): Promise<void> {
  const startAfter = await nextMessageAt(trx, receiver);
  if (startAfter === undefined) return;
  const queue = isMail(receiver) ? 'notification_mail' : 'notification';
  const { org_id, channel, target } = receiver;
  const name = createHash('sha256')
    .update(JSON.stringify([org_id, channel, target]))
    .digest('hex');
  await ctx.jobs.enqueue(trx, queue, { org_id, channel, target }, { singletonKey: name, startAfter });
}

function isMail({ channel }: Pick<Receiver, 'channel'>): boolean {
  return channel === 'user_email' || channel === 'email';
}
