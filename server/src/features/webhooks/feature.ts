import { defineFeature } from '../define.ts';
import { createWebhookConsumer } from './consumer.ts';
import { deleteOldDeliveries, wakeOverdue } from './upkeep-service.ts';

const names = {
  errors: ['webhook', 'delivery'],
  ids: ['whk', 'dlv'],
  audit: [
    'webhook.create',
    'webhook.delete',
    'webhook.delivery_fail',
    'webhook.disable',
    'webhook.redeliver',
    'webhook.rotate_secret',
    'webhook.test',
    'webhook.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    webhooks: typeof names;
  }
}

/** `eventTypes` lists the types of events of all features. */
export const webhooks = (eventTypes: () => readonly string[]) =>
  defineFeature({
    ...names,
    tag: 'Webhooks',
    description: "Receivers of an organization's events, by signed HTTP requests (Standard Webhooks).",
    mount: 'organization',
    routes: async (ctx) => (await import('./routes.ts')).webhookRoutes(ctx, eventTypes),
    consumers: [createWebhookConsumer(eventTypes)],
    maintenance: [
      { name: 'delete-webhook-deliveries', schedule: '*/5 * * * *', timeoutMs: 300_000, run: deleteOldDeliveries },
      { name: 'wake-webhooks', schedule: '* * * * *', timeoutMs: 60_000, run: wakeOverdue },
    ],
  });
