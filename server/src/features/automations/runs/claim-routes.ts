import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { createClaims } from './claim-service.ts';
import * as examples from './examples.ts';
import { ClaimedRun, ClaimRun } from './schemas.ts';

export function claimRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl' | 'notifications' | 'closing' | 'log'>,
): Route[] {
  const claimRun = createClaims(ctx);
  return [
    route({
      method: 'POST',
      path: '/automations/runs/claim',
      id: 'claimAutomationRun',
      summary: 'Claim a run for an external executor',
      description:
        'Returns the oldest run that may start, of automations with the executor `external`; each run goes to one claimer. 204 if there is none within `wait_seconds`. Report to `callback_url` until the attempt ends; docs/external-executors.md has the rules.',
      scope: 'run',
      body: ClaimRun,
      examples: examples.claimAutomationRun,
      status: 200,
      answer: ClaimedRun,
      empty: 'No run was available in time.',
      handle: async ({ caller, body, reply }) => {
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        return (await claimRun(caller, body, gone.signal)) ?? reply.code(204).send();
      },
    }),
  ];
}
