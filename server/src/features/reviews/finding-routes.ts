import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, Id, List } from '../../http/schema.ts';
import * as examples from './examples.ts';
import { getFinding, listFindings, updateFinding } from './finding-service.ts';
import { fixFinding } from './fix-service.ts';
import { Finding, FindingQuery, UpdateFinding } from './schemas.ts';

const path = '/reviews/:id/findings';
const params = { id: Id, findingId: Id };

export function findingRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'config' | 'keyRing' | 'runtimes' | 'baseUrl' | 'sourceControl' | 'log'>,
): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'listFindings',
      summary: 'List the findings of a review',
      description: 'Those that it found first or confirmed last, newest first, with their state now.',
      scope: 'reviews:read',
      params: { id: Id },
      query: FindingQuery,
      status: 200,
      answer: List(Finding),
      handle: ({ caller, params: { id }, query }) => listFindings(ctx, caller, id, query),
    }),
    route({
      method: 'GET',
      path: `${path}/:findingId`,
      id: 'getFinding',
      summary: 'Get a finding',
      description: 'With its state now, which later reviews and people change.',
      scope: 'reviews:read',
      params,
      status: 200,
      answer: Finding,
      handle: (exchange) => getFinding(ctx, exchange.caller, exchange.params.id, exchange.params.findingId),
    }),
    route({
      method: 'PATCH',
      path: `${path}/:findingId`,
      id: 'updateFinding',
      summary: 'Dismiss a finding',
      description:
        'Or take that back. Dismissing resolves its thread on the change request. No later review reports a dismissed finding again. ' +
        '409 `conflict` for a resolved one.',
      scope: 'reviews:write',
      params,
      body: UpdateFinding,
      examples: examples.updateFinding,
      status: 200,
      answer: Finding,
      handle: (exchange) => updateFinding(ctx, exchange.caller, placeIn(exchange.params), exchange.body),
    }),
    route({
      method: 'POST',
      path: `${path}/:findingId/fix`,
      id: 'fixFinding',
      summary: 'Fix a finding',
      description:
        "Starts a session on the change request's branch, which proposes the fix as a change request into that branch. " +
        'Also needs the scope `run`. 409 `conflict` for a finding that is not open, or that has such a session.',
      scope: 'reviews:write',
      params,
      body: Body({}),
      status: 202,
      errors: [402],
      answer: Finding,
      handle: (exchange) => fixFinding(ctx, exchange.caller, placeIn(exchange.params)),
    }),
  ];
}

function placeIn({ id, findingId }: { id: string; findingId: string }) {
  return { reviewId: id, id: findingId };
}
