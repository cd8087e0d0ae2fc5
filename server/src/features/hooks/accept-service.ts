import type { WebhookDelivery } from '../../adapters/source-control/port.ts';
import { sha256Of } from '../../adapters/source-control/signatures.ts';
import type { Context } from '../../app/context.ts';
import { requireActive } from '../../caller.ts';
import { AppError, messageOf } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { HookConnection } from '../git-connections/public.ts';
import { enqueueDelivery } from './jobs.ts';
import { blobOf, hasDelivery, insertDelivery, noteDelivered } from './store.ts';

export type AcceptContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'blobs' | 'log' | 'sourceControl'>;

/** The headers that adapters read; others are not stored. */
const kept =
  /^(?:x-github-(?:event|delivery|hook-id)|x-gitlab-(?:event|event-uuid|webhook-uuid)|idempotency-key|webhook-id|x-pagure-(?:topic|project))$/;
const maxHeaderLength = 500;

/**
 * Verifies a delivery of a git host and stores it once, before it is acknowledged. Throws 401 `unauthorized`, and a ProviderError
 * if the host must be asked and does not answer.
 */
export async function acceptDelivery(
  ctx: AcceptContext,
  hookId: string,
  connection: HookConnection,
  delivery: WebhookDelivery,
) {
  const { org_id: orgId, id: connectionId, provider } = connection;
  const source = ctx.sourceControl.of(provider);
  if ((await source.verifyWebhook?.({ orgId, connectionId }, delivery)) !== true)
    throw new AppError('unauthorized', "The signature is wrong. Sign with the secret of the git connection's webhook.");
  requireActive({ slug: connection.slug, state: connection.state });
  const givenId = source.deliveryId?.(delivery) ?? '';
  const deliveryId = givenId === '' ? await sha256Of(delivery.body) : givenId;
  if (await hasDelivery(ctx.db.kysely, hookId, deliveryId)) return answer(true);
  const now = ctx.clock.now();
  const id = newId('hdl', now.getTime());
  await ctx.blobs.put(blobOf(orgId, id), delivery.body);
  const isNew = await ctx.db.transaction(async (trx) => {
    const row = {
      id,
      org_id: orgId,
      hook_id: hookId,
      connection_id: connectionId,
      delivery_id: deliveryId,
      headers: JSON.stringify(keptHeaders(delivery)),
      size_bytes: delivery.body.length,
      received_at: now,
    };
    if (!(await insertDelivery(trx, row))) return false;
    await noteDelivered(trx, orgId, connectionId, now);
    await enqueueDelivery(ctx, trx, id);
    return true;
  });
  if (!isNew)
    await ctx.blobs
      .delete(blobOf(orgId, id))
      .catch((error: unknown) => ctx.log.warn({ id, reason: messageOf(error) }, 'cannot delete a repeated delivery'));
  return answer(!isNew);
}

function keptHeaders({ headers }: WebhookDelivery): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => kept.test(name))
      .map(([name, value]) => [name, value.slice(0, maxHeaderLength)]),
  );
}

function answer(duplicate: boolean) {
  return { accepted: true, duplicate, run_id: '', reason: '' };
}
