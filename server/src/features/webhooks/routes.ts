import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, Id, List, ListQuery, Text } from '../../http/schema.ts';
import { listDeliveries, redeliver, testWebhook } from './delivery-service.ts';
import * as examples from './examples.ts';
import {
  CreateWebhook,
  RotateWebhookSecret,
  UpdateWebhook,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
} from './schemas.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './service.ts';

const params = { id: Id };

export function webhookRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'keyRing' | 'jobs' | 'outgoing' | 'closing'>,
  eventTypes: () => readonly string[],
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/webhooks',
      id: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Newest first. The secrets are not shown.',
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: List(Webhook),
      handle: ({ caller, query }) => listWebhooks(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/webhooks',
      id: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'Events from now on are sent as POST requests, signed by the Standard Webhooks specification, at least once ' +
        'and in order for each resource. The body is `{type, timestamp, data{organization_id, seq, resource, actor, ' +
        'summary}}`. It gets only events that your scopes allow you to read, and none of private notes and secrets. ' +
        'A response other than 2xx is repeated, with growing delays of up to 24 hours; after 5 days without a success ' +
        'the webhook is disabled. An organization can have at most 20 (409 `conflict`).',
      scope: 'org:write',
      body: CreateWebhook,
      examples: examples.createWebhook,
      status: 201,
      answer: WebhookWithSecret,
      handle: ({ caller, body }) => createWebhook(ctx, caller, body, eventTypes()),
    }),
    route({
      method: 'GET',
      path: '/webhooks/:id',
      id: 'getWebhook',
      summary: 'Get a webhook',
      description: 'Its requests are at `/deliveries`.',
      scope: 'org:read',
      params,
      status: 200,
      answer: Webhook,
      handle: ({ caller, params: { id } }) => getWebhook(ctx, caller, id),
    }),
    route({
      method: 'PATCH',
      path: '/webhooks/:id',
      id: 'updateWebhook',
      summary: 'Update a webhook',
      description:
        'Omitted fields stay unchanged. `enabled: false` ends its pending deliveries as failed. `enabled: true` also ' +
        'enables a webhook that the platform disabled. A change of `url` or `events` limits it to events that your ' +
        'scopes allow you to read. A new `url` gets what is pending at once, but if your scopes are fewer than those ' +
        'of who chose the old one, it ends as failed.',
      scope: 'org:write',
      params,
      body: UpdateWebhook,
      examples: examples.updateWebhook,
      status: 200,
      answer: Webhook,
      handle: ({ caller, params: { id }, body }) => updateWebhook(ctx, caller, id, body, eventTypes()),
    }),
    route({
      method: 'DELETE',
      path: '/webhooks/:id',
      id: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'Also deletes its deliveries.',
      scope: 'org:write',
      params,
      status: 204,
      answer: Type.Null(),
      record: Webhook,
      handle: ({ caller, params: { id } }) => deleteWebhook(ctx, caller, id),
    }),
    route({
      method: 'POST',
      path: '/webhooks/:id/rotate-secret',
      id: 'rotateWebhookSecret',
      summary: "Rotate a webhook's secret",
      description:
        'Returns the new secret, once. Until the overlap ends, each request has a signature of both secrets.',
      scope: 'org:write',
      params,
      body: RotateWebhookSecret,
      examples: examples.rotateWebhookSecret,
      status: 200,
      answer: WebhookWithSecret,
      handle: ({ caller, params: { id }, body }) => rotateWebhookSecret(ctx, caller, id, body.overlap_seconds),
    }),
    ...deliveryRoutes(ctx),
  ];
}

function deliveryRoutes(ctx: Pick<Context, 'db' | 'clock' | 'keyRing' | 'jobs' | 'outgoing' | 'closing'>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/webhooks/:id/test',
      id: 'testWebhook',
      summary: 'Test a webhook',
      description:
        'Sends an event `webhook.test` at once, also if the webhook is disabled, and returns the delivery: whether ' +
        'the receiver accepted it, and its response. It is not repeated.',
      scope: 'org:write',
      params,
      body: Body({}),
      status: 200,
      answer: WebhookDelivery,
      handle: ({ caller, params: { id } }) => testWebhook(ctx, caller, id),
    }),
    route({
      method: 'GET',
      path: '/webhooks/:id/deliveries',
      id: 'listWebhookDeliveries',
      summary: "List a webhook's deliveries",
      description: 'Newest first. Ended ones are kept for 7 days, and at most the newest 10,000.',
      scope: 'org:read',
      params,
      query: ListQuery({
        state: Type.Optional(Text(100, { description: 'pending, delivered, failed' })),
      }),
      status: 200,
      answer: List(WebhookDelivery),
      handle: ({ caller, params: { id }, query }) => listDeliveries(ctx, caller, id, query),
    }),
    route({
      method: 'POST',
      path: '/webhooks/:id/deliveries/:deliveryId/redeliver',
      id: 'redeliverWebhookDelivery',
      summary: 'Redeliver a delivery',
      description:
        'Sends it again, with the same `webhook-id` and body, without waiting for other deliveries of its resource. ' +
        'A pending one is attempted at once, unless an earlier one of its resource is pending. 409 `conflict` if the ' +
        'webhook is disabled.',
      scope: 'org:write',
      params: { id: Id, deliveryId: Id },
      body: Body({}),
      status: 202,
      answer: WebhookDelivery,
      handle: ({ caller, params: { id, deliveryId } }) => redeliver(ctx, caller, id, deliveryId),
    }),
  ];
}
