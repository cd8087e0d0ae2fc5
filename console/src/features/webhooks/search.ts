import { textsOf } from '../../lib/list.ts';

/** What the address of a webhook says: its tab, the filter of its deliveries, and the open one. */
export interface WebhookSearch {
  tab?: 'deliveries' | 'edit';
  state?: string;
  delivery?: string;
}

export function webhookSearchOf(search: Record<string, unknown>): WebhookSearch {
  return {
    ...textsOf(search, ['state', 'delivery']),
    ...(search['tab'] === 'edit' ? { tab: 'edit' as const } : {}),
  };
}
