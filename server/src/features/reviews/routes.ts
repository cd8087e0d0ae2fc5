import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, Id, List } from '../../http/schema.ts';
import { createReview } from './create-service.ts';
import * as examples from './examples.ts';
import { CreateReview, Review, ReviewQuery } from './schemas.ts';
import { cancelReview, getReview, listReviews, retryReview } from './service.ts';

const params = { id: Id };

export function reviewRoutes(ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/reviews',
      id: 'listReviews',
      summary: 'List reviews',
      description: 'Of change requests of all repositories, newest first.',
      scope: 'reviews:read',
      query: ReviewQuery,
      status: 200,
      answer: List(Review),
      handle: ({ caller, query }) => listReviews(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/reviews',
      id: 'createReview',
      summary: 'Review a change request',
      description:
        'Name it by `url`, or by `repo` and `number`. A session reviews its current head; each head has one review. ' +
        '409 `change_request_closed` if it is not open.',
      scope: 'reviews:write',
      body: CreateReview,
      examples: examples.createReview,
      status: 202,
      repeated: 'The head already has this review.',
      answer: Review,
      handle: async ({ caller, body, reply }) => {
        const { review, isNew } = await createReview(ctx, caller, body);
        if (!isNew) reply.code(200);
        return review;
      },
    }),
    route({
      method: 'GET',
      path: '/reviews/:id',
      id: 'getReview',
      summary: 'Get a review',
      description: 'With its state now; `GET …/findings` has what it found.',
      scope: 'reviews:read',
      params,
      status: 200,
      answer: Review,
      handle: (exchange) => getReview(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'POST',
      path: '/reviews/:id/cancel',
      id: 'cancelReview',
      summary: 'Cancel a review',
      description: 'Its session is canceled too. 409 `conflict` after its end.',
      scope: 'reviews:write',
      params,
      body: Body({}),
      status: 200,
      answer: Review,
      handle: (exchange) => cancelReview(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'POST',
      path: '/reviews/:id/retry',
      id: 'retryReview',
      summary: 'Try a review again',
      description: 'Only a failed or canceled one (409 `conflict`); it gets another session.',
      scope: 'reviews:write',
      params,
      body: Body({}),
      status: 200,
      answer: Review,
      handle: (exchange) => retryReview(ctx, exchange.caller, exchange.params.id),
    }),
  ];
}
