import { createRoute } from '@tanstack/react-router';
import { webhookSearchOf } from '../features/webhooks/search.ts';
import { organization } from './root.ts';
import { screen } from './screen.ts';

const list = createRoute({
  getParentRoute: () => organization,
  path: 'webhooks',
  component: screen(() => import('../features/webhooks/WebhooksScreen.tsx'), 'WebhooksScreen'),
});

const made = createRoute({
  getParentRoute: () => organization,
  path: 'webhooks/new',
  component: screen(() => import('../features/webhooks/NewWebhookScreen.tsx'), 'NewWebhookScreen'),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'webhooks/$id',
  validateSearch: webhookSearchOf,
  component: screen(() => import('../features/webhooks/WebhookScreen.tsx'), 'WebhookScreen'),
});

export const webhooks = [list, made, one] as const;
