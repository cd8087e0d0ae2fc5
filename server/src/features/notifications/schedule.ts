import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { readWaiting, type Receiver } from './store.ts';

/** Everything within this time is told in one message. */
const collectMs = 30_000;
/** The minimum time between two messages to one receiver. */
const betweenMs = 5 * 60_000;

/** Returns when a receiver may get its next message, and when it got the last one; undefined if nothing waits. */
export async function nextMessage(db: Context['db']['kysely'], receiver: Receiver) {
  const waiting = await readWaiting(db, receiver);
  if (waiting === undefined) return undefined;
  const { oldest, sentAt } = waiting;
  return { at: new Date(Math.max(oldest.getTime() + collectMs, (sentAt?.getTime() ?? 0) + betweenMs)), sentAt };
}

/** Enqueues the next message to a receiver, if something waits for it. */
export async function schedule(ctx: Pick<Context, 'jobs'>, trx: Transaction<DB>, receiver: Receiver): Promise<void> {
  const next = await nextMessage(trx, receiver);
  if (next === undefined) return;
  const queue = isMail(receiver) ? 'notification_mail' : 'notification';
  const { org_id, channel, target } = receiver;
  const name = createHash('sha256')
    .update(JSON.stringify([org_id, channel, target]))
    .digest('hex');
  await ctx.jobs.enqueue(trx, queue, { org_id, channel, target }, { singletonKey: name, startAfter: next.at });
}

function isMail({ channel }: Pick<Receiver, 'channel'>): boolean {
  return channel === 'user_email' || channel === 'email';
}
