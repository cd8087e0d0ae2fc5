import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery, Text } from '../../http/schema.ts';
import { ChangeRequest, CloseChangeRequest, Diff, MergeChangeRequest } from './change-request-schemas.ts';
import { actOnChangeRequest } from './action-service.ts';
import {
  diffChangeRequest,
  getChangeRequest,
  listAllChangeRequests,
  listChangeRequests,
} from './change-request-service.ts';
import { sendDiff } from './diff-json.ts';
import { Comment, CreateComment, UpdateComment } from './comment-schemas.ts';
import { commentOnChangeRequest, listComments, updateComment } from './comment-service.ts';
import * as examples from './examples.ts';

const path = '/repositories/:id/change-requests';
const params = { id: Id, number: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) };

export function changeRequestRoutes(ctx: Pick<Context, 'db' | 'clock' | 'sourceControl' | 'baseUrl' | 'log'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/change-requests',
      id: 'listAllChangeRequests',
      summary: 'List change requests',
      description:
        'Of all repositories, newest first. Waits at most 5 seconds for trial merges; `mergeable` of an item that takes ' +
        'longer is false until a later request.',
      scope: 'repos:read',
      query: ListQuery({
        repo: Type.Optional(
          Text(2_000, { description: 'Repositories as `owner/name`, also with the provider: `local:owner/name`.' }),
        ),
        state: Type.Optional(Text(100, { description: 'open, merged, closed' })),
        session_id: Type.Optional(Text(2_000, { description: 'The sessions that opened or continue them.' })),
        author: Type.Optional(Text(2_000, { description: "Authors' ids; `me` is yours." })),
        follow: Type.Optional(Text(200, { description: 'off, watching, working, ready, needs_person, paused, ended' })),
        needs_person: Type.Optional(
          Type.Boolean({ description: 'True for those that wait for a person, as `follow=needs_person`.' }),
        ),
      }),
      status: 200,
      answer: List(ChangeRequest),
      handle: ({ caller, query }) => listAllChangeRequests(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path,
      id: 'listChangeRequests',
      summary: "List a repository's change requests",
      description: 'Newest first, opened by sessions or by users.',
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
      description:
        'Includes the evidence of the session that opened it, and if it can be merged now. The changes are at ' +
        '`/diff`.',
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
      summary: "Get a change request's diff",
      description:
        'From the merge base to the newest commit of its branch; for a merged or closed one, as of that time.',
      scope: 'repos:read',
      params,
      status: 200,
      errors: [502],
      answer: Diff,
      handle: async ({ caller, params: { id, number }, reply }) =>
        sendDiff(reply, await diffChangeRequest(ctx, caller, id, number)),
    }),
    route({
      method: 'GET',
      path: `${path}/:number/comments`,
      id: 'listChangeRequestComments',
      summary: "List a change request's comments",
      description:
        'Newest first: comments on lines and on the whole, including resolved ones; a reply names the comment it ' +
        'replies to.',
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
      summary: 'Create a change request comment',
      description:
        'With `file` and `line`, comments on a line of a file that the change request changes, also on an unchanged ' +
        'line; without them, on the whole. Merged and closed change requests accept comments too. Sessions are not notified.',
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
      summary: 'Update a change request comment',
      description:
        'Anyone who may write to the repository can resolve it; only its author, or `org:write`, can change ' +
        '`body`.',
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
      description:
        'Merges it into its base branch at once, as a merge commit or as one squashed commit; drafts too. Its ' +
        'branch stays, and the session that opened it gets an event. 409 `merge_conflict`, or ' +
        '`change_request_closed` if it is not open; nothing changes then. Pagure merges as its project is set, and ' +
        'cannot squash: 400.',
      scope: 'repos:write',
      params,
      body: MergeChangeRequest,
      examples: examples.mergeChangeRequest,
      status: 200,
      errors: [502],
      answer: ChangeRequest,
      handle: ({ caller, params: { id, number }, body }) =>
        actOnChangeRequest(ctx, caller, { repositoryId: id, number }, body.method ?? 'merge'),
    }),
    route({
      method: 'POST',
      path: `${path}/:number/close`,
      id: 'closeChangeRequest',
      summary: 'Close a change request',
      description:
        'Its branch stays. The session that opened it gets an event. 409 `change_request_closed` if it is merged ' +
        'or closed.',
      scope: 'repos:write',
      params,
      body: CloseChangeRequest,
      status: 200,
      errors: [502],
      answer: ChangeRequest,
      handle: ({ caller, params: { id, number } }) =>
        actOnChangeRequest(ctx, caller, { repositoryId: id, number }, 'close'),
    }),
  ];
}
