import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery, Text } from '../../http/schema.ts';
import { ChangeRequest, CloseChangeRequest, Diff, MergeChangeRequest } from './change-request-schemas.ts';
import {
  closeChangeRequest,
  diffChangeRequest,
  getChangeRequest,
  listChangeRequests,
  mergeChangeRequest,
} from './change-request-service.ts';
import { Comment, CreateComment, UpdateComment } from './comment-schemas.ts';
import { commentOnChangeRequest, listComments, updateComment } from './comment-service.ts';
import * as examples from './examples.ts';

const path = '/repositories/:id/change-requests';
const params = { id: Id, number: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) };

export function changeRequestRoutes(ctx: Pick<Context, 'db' | 'clock' | 'gitHost' | 'baseUrl'>): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'listChangeRequests',
      summary: "List a repository's change requests",
      scope: 'repos:read',
      params: { id: Id },
      query: ListQuery({ state: Type.Optional(Text(100, { description: 'open, merged, closed' })) }),
      status: 200,
      errors: [502],
      answer: List(ChangeRequest),
      handle: (exchange) =>
        listChangeRequests(ctx, exchange.caller, { repositoryId: exchange.params.id }, exchange.query),
    }),
    route({
      method: 'GET',
      path: `${path}/:number`,
      id: 'getChangeRequest',
      summary: 'Get a change request',
      scope: 'repos:read',
      params,
      status: 200,
      errors: [502],
      answer: ChangeRequest,
      handle: (exchange) => getChangeRequest(ctx, exchange.caller, exchange.params.id, exchange.params.number),
    }),
    route({
      method: 'GET',
      path: `${path}/:number/diff`,
      id: 'getChangeRequestDiff',
      summary: 'What a change request changes',
      scope: 'repos:read',
      params,
      status: 200,
      errors: [502],
      answer: Diff,
      handle: (exchange) => diffChangeRequest(ctx, exchange.caller, exchange.params.id, exchange.params.number),
    }),
    route({
      method: 'GET',
      path: `${path}/:number/comments`,
      id: 'listChangeRequestComments',
      summary: "A change request's comments, newest first",
      scope: 'repos:read',
      params,
      query: ListQuery({}),
      status: 200,
      answer: List(Comment),
      handle: ({ caller, params: { id, number }, query }) => listComments(ctx, caller, id, number, query),
    }),
    route({
      method: 'POST',
      path: `${path}/:number/comments`,
      id: 'commentOnChangeRequest',
      summary: 'Comment on a change request, or on a line of it',
      scope: 'repos:write',
      params,
      body: CreateComment,
      examples: examples.createComment,
      status: 201,
      errors: [502],
      answer: Comment,
      handle: ({ caller, params: { id, number }, body }) => commentOnChangeRequest(ctx, caller, id, number, body),
    }),
    route({
      method: 'PATCH',
      path: `${path}/:number/comments/:commentId`,
      id: 'updateChangeRequestComment',
      summary: 'Settle a comment, or change its words',
      description: 'Whoever may write to the repository settles it; only its author, or `org:write`, changes `body`.',
      scope: 'repos:write',
      params: { ...params, commentId: Id },
      body: UpdateComment,
      examples: examples.updateComment,
      status: 200,
      answer: Comment,
      handle: ({ caller, params: { id, number, commentId }, body }) =>
        updateComment(ctx, caller, { repositoryId: id, number, commentId }, body),
    }),
    route({
      method: 'POST',
      path: `${path}/:number/merge`,
      id: 'mergeChangeRequest',
      summary: 'Merge a change request',
      scope: 'repos:write',
      params,
      body: MergeChangeRequest,
      examples: examples.mergeChangeRequest,
      status: 200,
      errors: [502],
      answer: ChangeRequest,
      handle: ({ caller, params: { id, number }, body }) =>
        mergeChangeRequest(ctx, caller, id, number, body.method ?? 'merge'),
    }),
    route({
      method: 'POST',
      path: `${path}/:number/close`,
      id: 'closeChangeRequest',
      summary: 'Close a change request without merging',
      scope: 'repos:write',
      params,
      body: CloseChangeRequest,
      status: 200,
      errors: [502],
      answer: ChangeRequest,
      handle: ({ caller, params: { id, number } }) => closeChangeRequest(ctx, caller, id, number),
    }),
  ];
}
