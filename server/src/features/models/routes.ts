import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { listModels } from './catalog-service.ts';
import { Models } from './schemas.ts';

export function modelRoutes(ctx: Pick<Context, 'db' | 'clock' | 'config' | 'keyRing'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/models',
      id: 'listModels',
      summary: 'List models',
      description:
        'The models of the configured providers that are known here, at most 500, without asking the providers. ' +
        'Sessions accept other models of these providers, too, if they are allowed.',
      scope: 'run',
      status: 200,
      answer: Models,
      handle: ({ caller }) => listModels(ctx, caller),
    }),
  ];
}
