import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { StorageUse } from './schemas.ts';
import { getStorage } from './use-service.ts';

export function storageRoutes(ctx: Pick<Context, 'db' | 'config'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/storage',
      id: 'getStorage',
      summary: 'Get storage usage',
      description:
        'In bytes. At `max_bytes`, uploads, pushes, imports, new repositories and new sessions fail with 402 ' +
        '`budget_exceeded`. Deleting sessions or attachments frees storage at once, deleting a repository after ' +
        '30 days.',
      scope: 'org:read',
      status: 200,
      answer: StorageUse,
      handle: ({ caller }) => getStorage(ctx, caller),
    }),
  ];
}
