import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { webhookSearchOf } from '../features/webhooks/search.ts';
import { organization } from './root.ts';

const list = createRoute({
  getParentRoute: () => organization,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('../features/webhooks/WebhooksScreen.tsx'), 'WebhooksScreen'),
});

const made = createRoute({
  getParentRoute: () => organization,
  path: 'webhooks/new',
  component: lazyRouteComponent(() => import('../features/webhooks/NewWebhookScreen.tsx'), 'NewWebhookScreen'),
});

const one = createRoute({
  getParentRoute: () => organization,
  path: 'webhooks/$id',
  validateSearch: webhookSearchOf,
  component: lazyRouteComponent(() => import('../features/webhooks/WebhookScreen.tsx'), 'WebhookScreen'),
});

export const webhooks = [list, made, one] as const;
