import type { Transaction } from 'kysely';
import type { HostEvent } from '../../adapters/source-control/collaboration.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import { connectionsOfHook, noteHostChanged } from '../git-connections/public.ts';
import { publishReceived } from './received.ts';
import { findRenamed, renameRepository, repositoryAt } from './repository-service.ts';
import { blobOf, readDeliveryRow, updateDelivery } from './store.ts';

export type ProcessContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'blobs' | 'log' | 'sourceControl'>;

const maxBytes = 32 * 1024 ** 2;
/** Failures of this installation are retried this often, over several hours. */
const maxAttempts = 20;

/**
 * Reads a delivery once, and publishes `delivery.received` for each of its events about a repository of the connection's
 * organization. Does nothing for one that was read.
 */
export async function processDelivery(ctx: ProcessContext, id: string): Promise<void> {
  const row = await readDeliveryRow(ctx.db.kysely, id);
  if (row === undefined) return;
  const { org_id: orgId, connection_id: connectionId, provider, headers, attempts } = row;
  try {
    if (provider === null) throw new ProviderError('The git connection or the App was deleted.', { retryable: false });
    const body = await ctx.blobs.getBuffer(blobOf(orgId, id), { maxBytes });
    if (body === undefined) throw new ProviderError('The body of the delivery is gone.', { retryable: false });
    const events = (await ctx.sourceControl.of(provider).readDelivery?.({ headers, body })) ?? [];
    const places = (await connectionsOfHook(ctx.db.kysely, orgId, connectionId)).map((one) => ({
      orgId,
      connectionId: one,
    }));
    const renamed = await findRenamed(ctx, provider, places, events);
    const processed_at = ctx.clock.now();
    await ctx.db.transaction(async (trx) => {
      if (!(await updateDelivery(trx, id, { state: 'processed', attempts: attempts + 1, processed_at }))) return;
      for (const { place, rename } of renamed) await renameRepository(ctx, trx, place, rename);
      for (const place of places) for (const event of events) await publishEvent(ctx, trx, place, event);
    });
  } catch (error) {
    const isFinal = (error instanceof ProviderError && !error.retryable) || attempts + 1 >= maxAttempts;
    const change = { attempts: attempts + 1, problem: messageOf(error).slice(0, 500) };
    await updateDelivery(ctx.db.kysely, id, { ...change, ...(isFinal ? { state: 'failed' } : {}) });
    if (!isFinal) throw error;
    ctx.log.warn({ id, connection: connectionId, reason: messageOf(error) }, 'a delivery of a git host is left unread');
  }
  await ctx.blobs.delete(blobOf(orgId, id)).catch((error: unknown) => {
    ctx.log.warn({ id, reason: messageOf(error) }, 'cannot delete the body of a delivery');
  });
}

async function publishEvent(
  ctx: ProcessContext,
  trx: Transaction<DB>,
  place: { orgId: string; connectionId: string },
  event: HostEvent,
): Promise<void> {
  if (event.type === 'connection') return noteHostChanged(ctx, trx, place);
  if (event.type === 'repository') return;
  const repository = await repositoryAt(trx, place, event.repo);
  if (repository !== undefined) await publishReceived(trx, place.orgId, repository.id, event);
}
