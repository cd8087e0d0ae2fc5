import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id } from '../../../http/schema.ts';
import * as examples from './examples.ts';
import { getExecutor, setExecutor } from './executor-service.ts';
import { ExternalExecutor, SetExecutor } from './schemas.ts';

const params = { id: Id };

export function executorRoutes(ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'keyRing'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/automations/:id/executor',
      id: 'getExternalExecutor',
      summary: "Get the receiver of an automation's external runs",
      description: 'Without its secret. One that was never set has the URL "".',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: ExternalExecutor,
      handle: ({ caller, params: { id } }) => getExecutor(ctx, caller, id),
    }),
    route({
      method: 'POST',
      path: '/automations/:id/executor',
      id: 'setExternalExecutor',
      summary: "Set the receiver of an automation's external runs",
      description:
        'Runs of the executor `external` are then sent to `url`, signed as in Standard Webhooks, with the body of a claim in `data`. A response other than 2xx fails the attempt. Each call issues a new secret.',
      scope: 'run',
      params,
      body: SetExecutor,
      examples: examples.setExternalExecutor,
      status: 200,
      answer: ExternalExecutor,
      handle: ({ caller, params: { id }, body }) => setExecutor(ctx, caller, id, body),
    }),
  ];
}
