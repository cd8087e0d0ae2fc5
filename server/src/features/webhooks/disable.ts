import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { recordSystemAct } from '../../mutation/mutate.ts';
import { failPending } from './delivery-store.ts';
import type { DisabledReason } from './schemas.ts';
import { updateWebhookRow } from './store.ts';

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
