import type { Context } from '../../app/context.ts';
import { requireActive } from '../../caller.ts';
import { AppError } from '../../lib/errors.ts';
import { meets } from './conditions.ts';
import { readHook } from './hook-store.ts';
import { isSigned } from './hook-secret.ts';
import { createRun } from './runs/create-service.ts';

type HookContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'keyRing'>;

/** A delivery may be this much older or newer than now; an id is remembered longer, so that none can be replayed. */
const replayWindowSeconds = 300;

export interface HookDelivery {
  hookId: string;
  /** As in Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
  id: string;
  timestamp: string;
  signature: string;
  rawBody: string;
  payload: Record<string, unknown>;
}

/**
 * Starts a run for a signed delivery from any address, unless its conditions are not met. Throws 404
 * `automation_not_found`, 401 `unauthorized` without a valid signature and a recent timestamp.
 */
export async function receiveHook(ctx: HookContext, delivery: HookDelivery) {
  const { hookId, payload } = delivery;
  const hook = await readHook(ctx.db.kysely, hookId);
  if (hook === undefined) throw missing();
  requireSigned(ctx, delivery, hook);
  requireActive({ slug: hook.slug, state: hook.state });
  if (!hook.enabled || hook.status === 'paused') return ignored('The automation is paused or disabled.');
  const trigger = hook.triggers.find(({ id }) => id === hookId);
  if (trigger === undefined) throw missing();
  if (!meets(trigger.conditions, payload)) return ignored('The payload does not meet the conditions.');
  return ctx.db.transaction(async (trx) => {
    const run = await createRun(
      ctx,
      trx,
      { id: hook.automation_id, org_id: hook.org_id },
      {
        trigger: { type: 'webhook', id: hookId },
        scheduledFor: null,
        payload,
        deduplicationKey: `webhook ${hookId} ${delivery.id}`,
      },
    );
    if (run === undefined) throw missing();
    return { accepted: true, duplicate: !run.isNew, run_id: run.id, reason: '' };
  });
}

function requireSigned(
  ctx: HookContext,
  { hookId, id, timestamp, signature, rawBody }: HookDelivery,
  { hook_secret_no: no, hook_previous_until: previousUntil }: NonNullable<Awaited<ReturnType<typeof readHook>>>,
): void {
  if (!/^[\x21-\x7e]{1,200}$/.test(id))
    throw unauthorized('Send `webhook-id`: 1 to 200 characters, unique per delivery.');
  const now = ctx.clock.now();
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > replayWindowSeconds)
    throw unauthorized('Send `webhook-timestamp`: the current time in seconds since 1970, at most five minutes off.');
  const valid = previousUntil !== null && now < previousUntil ? [no, no - 1] : [no];
  const signed = { id, timestamp, body: rawBody };
  if (!valid.some((one) => isSigned(ctx, { hookId, no: one }, signed, signature)))
    throw unauthorized(
      "Send `webhook-signature`: `v1,` and the Base64 of the HMAC-SHA256, with the hook's secret, of `<webhook-id>.<webhook-timestamp>.<body>`.",
    );
}

function ignored(reason: string) {
  return { accepted: false, duplicate: false, run_id: '', reason };
}

function missing(): AppError {
  return new AppError('automation_not_found', 'No webhook has this URL. Copy it from the automation.');
}

function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message);
}
