import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id } from '../../http/schema.ts';
import * as examples from './examples.ts';
import { getPolicy, replacePolicy } from './policy-service.ts';
import { ReplaceReviewPolicy, ReviewPolicy } from './schemas.ts';

const path = '/reviews/policies/:repoId';
const params = { repoId: Id };

export function policyRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'getReviewPolicy',
      summary: 'Get the review policy of a repository',
      description: 'That of the settings `reviews` while it has none of its own.',
      scope: 'reviews:read',
      params,
      status: 200,
      answer: ReviewPolicy,
      handle: (exchange) => getPolicy(ctx, exchange.caller, exchange.params.repoId),
    }),
    route({
      method: 'PUT',
      path,
      id: 'replaceReviewPolicy',
      summary: 'Replace the review policy of a repository',
      description:
        'Omitted fields follow the settings `reviews`, also when these change. 404 `agent_not_found` for an agent that does not exist.',
      scope: 'reviews:write',
      params,
      body: ReplaceReviewPolicy,
      examples: examples.replaceReviewPolicy,
      status: 200,
      answer: ReviewPolicy,
      handle: (exchange) => replacePolicy(ctx, exchange.caller, exchange.params.repoId, exchange.body),
    }),
  ];
}
