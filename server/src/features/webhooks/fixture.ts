import { defineFixture } from '../../../test/support/fixture.ts';
import { insertDeliveries } from './delivery-store.ts';

export const fixture = defineFixture({
  async make({ api, org, orgId, post }) {
    const body = { url: 'http://127.0.0.1:9/hook', events: ['webhook.deleted'] };
    const id = String((await post(`${org}/webhooks`, body))['id']);
    const at = api.ctx.clock.now();
    const [delivery = ''] = await api.ctx.db.transaction((trx) =>
      insertDeliveries(trx, [
        {
          org_id: orgId,
          webhook_id: id,
          lane: 'session:ses_x',
          event_seq: 1,
          type: 'session.created',
          resource_type: 'session',
          resource_id: 'ses_x',
          payload: '{}',
          state: 'failed',
          created_at: at,
          ended_at: at,
        },
      ]),
    );
    return { 'webhooks/{id}': id, 'webhooks/{id}/deliveries/{deliveryId}': delivery };
  },
  bodies: { createWebhook: { url: 'https://hooks.example.com/x', enabled: false } },
  changes: { updateWebhook: { name: 'Other' } },
});
