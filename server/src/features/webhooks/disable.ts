import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { recordSystemAct } from '../../mutation/mutate.ts';
import { failPending } from './delivery-store.ts';
import type { DisabledReason } from './schemas.ts';
import { updateWebhookRow } from './store.ts';

const noticeEveryMs = 24 * 60 * 60_000;

/**
 * Publishes that a delivery of a locked webhook failed for good, so that the administrators get a notice; once a day, because a
 * receiver that refuses a type of events refuses many.
 */
export async function noticeFailed(
  trx: Transaction<DB>,
  { id, org_id: orgId, noticed_at: last }: { id: string; org_id: string; noticed_at: Date | null },
  deliveryId: string,
  now: Date,
): Promise<void> {
  if (last !== null && now.getTime() - last.getTime() < noticeEveryMs) return;
  await updateWebhookRow(trx, id, { noticed_at: now });
  const data = { delivery_id: deliveryId };
  const fact = { action: 'webhook.delivery_fail', resource: { type: 'webhook', id }, changes: data, data } as const;
  await recordSystemAct(trx, orgId, 'webhooks', fact, now);
}

/** Disables a locked webhook: its pending deliveries fail, and its event notifies the administrators. */
export async function disable(
  trx: Transaction<DB>,
  { id, org_id: orgId }: { id: string; org_id: string },
  reason: Exclude<DisabledReason, ''>,
  now: Date,
): Promise<void> {
  await updateWebhookRow(trx, id, { enabled: false, disabled_reason: reason, paused_until: null, updated_at: now });
  await failPending(trx, id, now);
  const fact = { action: 'webhook.disable', resource: { type: 'webhook', id }, changes: { reason } } as const;
  await recordSystemAct(trx, orgId, 'webhooks', { ...fact, data: { reason } }, now);
}
