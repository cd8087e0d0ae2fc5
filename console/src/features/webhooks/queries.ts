import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['WebhookDelivery'];

const path = '/v3/organizations/{orgId}/webhooks';

export function webhooksQuery(org: string) {
  return listOptions(keys.list(org, 'webhooks'), (page, signal) =>
    unwrap(apiOf(org).GET(path, { params: { query: page }, signal })),
  );
}

export function webhookQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'webhooks', id),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(`${path}/{id}`, { params: { path: { id } }, signal })),
  });
}

/** The requests of a webhook, newest first. */
export function deliveriesQuery(org: string, id: string, state: string | undefined) {
  return listOptions(keys.list(org, 'webhooks', { deliveriesOf: id, state }), (page, signal) => {
    const query = { ...page, ...(state === undefined ? {} : { state }) };
    return unwrap(apiOf(org).GET(`${path}/{id}/deliveries`, { params: { path: { id }, query }, signal }));
  });
}
