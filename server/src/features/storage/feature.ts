import { defineFeature } from '../define.ts';
import { sweepLedger } from './ledger-service.ts';

export const storage = defineFeature({
  tag: 'Storage',
  description: 'How much an organization keeps in files and repositories.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).storageRoutes(ctx),
  maintenance: [{ name: 'sweep-stored-bytes', schedule: '47 3 * * *', timeoutMs: 21_600_000, run: sweepLedger }],
});
