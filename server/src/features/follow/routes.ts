import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id } from '../../http/schema.ts';
import * as examples from './examples.ts';
import { getPolicy, replacePolicy } from './policy-service.ts';
import { ActOnFollow, Follow, FollowPolicy, ReplaceFollowPolicy } from './schemas.ts';
import { actOnFollow, getFollow } from './service.ts';

const path = '/repositories/:id/change-requests/:number/follow';
const params = { id: Id, number: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) };

export function followRoutes(ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/repositories/:id/follow',
      id: 'getFollowPolicy',
      summary: 'Get how change requests are followed',
      description: 'The default, which follows those that sessions opened, while none is set.',
      scope: 'repos:read',
      params: { id: Id },
      status: 200,
      answer: FollowPolicy,
      handle: (exchange) => getPolicy(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'PUT',
      path: '/repositories/:id/follow',
      id: 'replaceFollowPolicy',
      summary: 'Set how change requests are followed',
      description: 'Omitted fields get their defaults. It holds at once, for open change requests too.',
      scope: 'repos:write',
      params: { id: Id },
      body: ReplaceFollowPolicy,
      examples: examples.replaceFollowPolicy,
      status: 200,
      answer: FollowPolicy,
      handle: (exchange) => replacePolicy(ctx, exchange.caller, exchange.params.id, exchange.body),
    }),
    route({
      method: 'GET',
      path,
      id: 'getFollow',
      summary: 'Get how a change request is followed',
      description: 'Its state, why it needs a person, and the rounds of its session so far.',
      scope: 'repos:read',
      params,
      status: 200,
      answer: Follow,
      handle: (exchange) => getFollow(ctx, exchange.caller, exchange.params.id, exchange.params.number),
    }),
    route({
      method: 'POST',
      path,
      id: 'actOnFollow',
      summary: 'Follow a change request, pause, resume or end that',
      description:
        'One session owns a change request: 409 `conflict` for another, and if it is not followed. 409 ' +
        '`change_request_closed` unless it is open. What already holds changes nothing.',
      scope: 'repos:write',
      params,
      body: ActOnFollow,
      examples: examples.actOnFollow,
      status: 200,
      answer: Follow,
      handle: ({ caller, params: { id, number }, body }) =>
        actOnFollow(ctx, caller, { repositoryId: id, number }, body),
    }),
  ];
}
