import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError, notFound, ProviderError } from '../../lib/errors.ts';
import { mutate } from '../../mutation/mutate.ts';
import { refuseMismatch, requireMatch } from '../../mutation/precondition.ts';
import { abandonRotation, beginRotation, endRotation, lockRotation } from './app-secret-store.ts';
import { describeApp } from './app-service.ts';
import { hookUrl, newHookSecret } from './hook-service.ts';

type AppContext = Pick<Context, 'db' | 'clock' | 'baseUrl' | 'hostParts' | 'sourceControl'>;

const defaultOverlapSeconds = 600;
/** Longer than a call of the host; a request that died is forgotten then. */
const holdMs = 60_000;

/**
 * Gives an App's webhook a new secret. It is valid here before GitHub gets it, and the old one until after GitHub confirmed it: so
 * deliveries that either of them signed are accepted at any time, also after a crash. What GitHub did not confirm is continued by the
 * next request, with the same secret. Throws 409 while another request rotates it.
 */
export async function rotateAppSecret(
  ctx: AppContext,
  caller: Caller,
  id: string,
  overlapSeconds = defaultOverlapSeconds,
) {
  const { connections } = ctx.hostParts;
  const place = { orgId: caller.organization.id, connectionId: id };
  const { app, rotation, isFresh } = await begin(ctx, caller, id);
  try {
    const privateKey = await connections.openAppKey(place, app.sealed_private_key);
    const secret = await connections.openWebhookSecret(place, rotation.next);
    await giveToGithub(ctx, place.orgId, { ...app, privateKey }, secret);
  } catch (error) {
    const isRefused = error instanceof ProviderError && !error.retryable;
    // GitHub may have a secret that an earlier request left.
    await abandonRotation(ctx.db.kysely, place, rotation, !isRefused || !isFresh);
    throw error;
  }
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const previousUntil = overlapSeconds === 0 ? null : new Date(now.getTime() + overlapSeconds * 1_000);
    const row = await endRotation(trx, place, rotation, { now, previousUntil });
    if (row === undefined)
      throw new AppError('conflict', 'The App was deleted, or its secret was rotated by another request meanwhile.');
    audit({
      action: 'git_app.rotate_webhook_secret',
      resource: { type: 'git_app', id },
      changes: { overlap_seconds: overlapSeconds },
    });
    return describeApp(ctx, row);
  });
}

/** Takes the rotation for this request. */
async function begin(ctx: AppContext, caller: Caller, id: string) {
  const place = { orgId: caller.organization.id, connectionId: id };
  const fresh = await ctx.hostParts.connections.sealWebhookSecret(place, newHookSecret());
  return ctx.db.transaction(async (trx) => {
    const row = await lockRotation(trx, place.orgId, id);
    if (row === undefined) throw notFound('git_app', id);
    const { sealed_private_key, sealed_next_webhook_secret, rotating_until, ...app } = row;
    await requireMatch(caller, () => describeApp(ctx, app));
    const now = ctx.clock.now();
    if (rotating_until !== null && now < rotating_until)
      throw new AppError('conflict', 'Another request rotates this secret. Try again in a minute.');
    refuseMismatch(caller);
    const rotation = { next: sealed_next_webhook_secret ?? fresh, until: new Date(now.getTime() + holdMs) };
    await beginRotation(trx, place, rotation);
    return { app: { ...app, sealed_private_key }, rotation, isFresh: sealed_next_webhook_secret === null };
  });
}

/** Gives GitHub the secret of an App's webhook. */
export async function giveToGithub(
  ctx: AppContext,
  orgId: string,
  { id, url: hostUrl, app_id: appId, privateKey }: { id: string; url: string; app_id: string; privateKey: string },
  secret: string,
): Promise<void> {
  const setWebhook = ctx.sourceControl.of('github').setAppWebhook;
  if (setWebhook === undefined) throw new AppError('conflict', 'This version does not manage the webhooks of Apps.');
  // The App acts as itself, so no installation is needed.
  const credential = { kind: 'app' as const, appId, privateKey, installationId: '' };
  const url = hookUrl(ctx, { id, provider: 'github' });
  await ctx.hostParts.connections.trying({ orgId, url: hostUrl, credential }, (ref) =>
    setWebhook(ref, { url, secret }),
  );
}
