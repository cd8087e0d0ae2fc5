import type { Context } from '../../app/context.ts';
import { attempt, receiverOf, type Receiver } from './attempt.ts';
import { giveUpAfterMs, pauseMs, retryDelayMs } from './backoff.ts';
import { disable, noticeFailed } from './disable.ts';
import {
  claimDue,
  endDelivery,
  lockForResult,
  postpone,
  pullForward,
  readNextDue,
  type Claim,
  type Result,
} from './delivery-store.ts';
import { readOrganizationOf, updateWebhookRow } from './store.ts';

type DeliverContext = Pick<Context, 'db' | 'clock' | 'keyRing' | 'jobs' | 'outgoing'>;

/** Concurrent requests to one receiver, by all processes. */
const each = 4;
/** A claim ends after this time, when its process must have died: a request takes at most 20 s. */
const leaseMs = 60_000;
/** A webhook gives its place to others after this time. */
const turnMs = 60_000;
/** The wait while another process makes as many requests as may run at once. */
const busyMs = 2_000;
/** After an outage of this length, all waiting attempts are due as soon as one succeeds. */
const outageMs = 60_000;

/** Sends the due deliveries of a webhook, and schedules the next. No connection to the database waits for a receiver. */
export async function deliverDue(ctx: DeliverContext, webhookId: string, signal: AbortSignal): Promise<void> {
  const orgId = await readOrganizationOf(ctx.db.kysely, webhookId);
  const receiver = orgId === undefined ? undefined : await receiverOf(ctx, orgId, webhookId);
  if (receiver === undefined) return;
  const endsAt = performance.now() + turnMs;
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let sentAny = false;
  for (;;) {
    const isOver = signal.aborted || failures.length > 0 || performance.now() > endsAt;
    for (const claim of isOver ? [] : await claimNow(ctx, webhookId)) {
      const sent = send(ctx, receiver, webhookId, claim, signal)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(sent));
      running.add(sent);
      sentAny = true;
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  if (failures.length > 0) throw failures[0];
  await scheduleNext(ctx, webhookId, sentAny ? 0 : busyMs);
}

async function claimNow(ctx: DeliverContext, webhookId: string): Promise<Claim[]> {
  const now = ctx.clock.now();
  return ctx.db.transaction((trx) => claimDue(trx, webhookId, { now, until: new Date(now.getTime() + leaseMs), each }));
}

async function send(
  ctx: DeliverContext,
  receiver: Receiver,
  webhookId: string,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const result = await attempt(ctx, receiver, claim, signal);
  await (result.problem === '' ? succeed(ctx, webhookId, claim, result) : fail(ctx, webhookId, claim, result));
}

async function succeed(ctx: DeliverContext, webhookId: string, claim: Claim, result: Result): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction(async (trx) => {
    const hook = await lockForResult(trx, webhookId);
    if (hook === undefined || !(await endDelivery(trx, claim, { ...result, state: 'delivered', now }))) return;
    if (hook.failing_since === null) return;
    await updateWebhookRow(trx, webhookId, { failing_since: null, paused_until: null });
    // A shorter one may be a single event that the receiver refuses, whose attempts would never slow down.
    if (now.getTime() - hook.failing_since.getTime() >= outageMs) await pullForward(trx, webhookId, now);
  });
}

async function fail(ctx: DeliverContext, webhookId: string, claim: Claim, result: Result): Promise<void> {
  const now = ctx.clock.now();
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  await ctx.db.transaction(async (trx) => {
    const hook = await lockForResult(trx, webhookId);
    if (hook === undefined) return;
    const failingMs = now.getTime() - (hook.failing_since ?? now).getTime();
    const pausedUntil = isDown(result) ? after(pauseMs(failingMs)) : null;
    const isLast = now.getTime() - claim.created_at.getTime() >= giveUpAfterMs;
    const hasFailed = isLast && (await endDelivery(trx, claim, { ...result, state: 'failed', now }));
    const dueAt = pausedUntil ?? after(retryDelayMs(claim.attempts));
    if (!isLast) await postpone(trx, claim, { ...result, dueAt, now });
    if (!hook.enabled) return;
    const paused = pausedUntil === null ? {} : { paused_until: pausedUntil };
    // Without anything left to send, a much later failure would count as one of an outage that lasted since.
    const isIdle = isLast && hook.pending <= 1;
    await updateWebhookRow(trx, webhookId, { failing_since: isIdle ? null : (hook.failing_since ?? now), ...paused });
    if (result.status_code === 410) await disable(trx, hook, 'gone', now);
    else if (failingMs >= giveUpAfterMs) await disable(trx, hook, 'failures', now);
    else if (hasFailed) await noticeFailed(trx, hook, claim.id, now);
  });
}

/** Returns true if the receiver did not answer, or a proxy answered for it: no other delivery would arrive either. */
function isDown({ status_code: status }: Result): boolean {
  return status === null || [429, 502, 503, 504].includes(status);
}

async function scheduleNext(ctx: DeliverContext, webhookId: string, restMs: number): Promise<void> {
  const dueAt = await readNextDue(ctx.db.kysely, webhookId);
  if (dueAt === undefined) return;
  const now = ctx.clock.now().getTime();
  const startAt = Math.max(dueAt.getTime(), now + restMs);
  const later = startAt > now ? { startAfter: new Date(startAt) } : {};
  await ctx.db.transaction((trx) =>
    ctx.jobs.enqueue(trx, 'webhook', { webhook_id: webhookId }, { singletonKey: webhookId, ...later }),
  );
}
