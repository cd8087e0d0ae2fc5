import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { sendJson } from '../../../http/etags.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id, ListQuery } from '../../../http/schema.ts';
import { listChildren } from './child-service.ts';
import { createSession } from './create-service.ts';
import { explainSessions } from '../schemas/descriptions.ts';
import { CreateSession, Session, SessionList, UpdateSession, Usage } from '../schemas/session-schemas.ts';
import { deleteSession, getSession, getUsage, updateSession } from './service.ts';
import * as examples from '../schemas/examples.ts';

const params = { id: Id };

export function sessionRoutes(
  ctx: Pick<
    Context,
    'db' | 'clock' | 'config' | 'log' | 'baseUrl' | 'blobs' | 'keyRing' | 'runtimes' | 'sourceControl'
  >,
): Route[] {
  explainSessions();
  return [
    route({
      method: 'POST',
      path: '/sessions',
      id: 'createSession',
      summary: 'Create a session',
      description:
        'Returns as soon as the session is `queued`. A worker starts it, and `/events/stream` shows its progress. Only `prompt` is required. 400 `tag_not_allowed` if the run tag policy refuses a tag, 404 if the repository or agent does not exist in this organization, 402 `budget_exceeded` if a group of the user has reached its daily limit, 403 `forbidden` for a model that the caller may not use. The worker checks the ref: if it does not exist, the session ends `failed` with `clone_failed`. The git host is asked for a `change_request`: 404 if there is none, 409 if it cannot be continued.',
      scope: 'run',
      body: CreateSession,
      examples: examples.createSession,
      status: 201,
      answer: Session,
      errors: [402, 409, 502],
      handle: async ({ caller, body, reply }) => sendJson(reply, await createSession(ctx, caller, body)),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id',
      id: 'getSession',
      summary: 'Get a session',
      description: 'Returns its current state. `/events` has its history, and `/events/stream` what happens next.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Session,
      handle: async ({ caller, params: { id }, reply }) => sendJson(reply, await getSession(ctx, caller, id)),
    }),
    route({
      method: 'PATCH',
      path: '/sessions/:id',
      id: 'updateSession',
      summary: 'Update a session',
      description:
        'Omitted fields keep their values; `tags`, `metadata` and `budget` are replaced as a whole. A new budget applies at once, also to a running session. A session suspended as `budget_reached` continues with `/resume`. 400 `tag_not_allowed` if the run tag policy refuses a tag.',
      scope: 'run',
      params,
      body: UpdateSession,
      examples: examples.updateSession,
      status: 200,
      answer: Session,
      handle: async ({ caller, params: { id }, body, reply }) =>
        sendJson(reply, await updateSession(ctx, caller, id, body)),
    }),
    route({
      method: 'DELETE',
      path: '/sessions/:id',
      id: 'deleteSession',
      summary: 'Delete a session',
      description:
        'Permanently deletes its messages, events, checkpoints and artifacts. Pushed branches and change requests stay. 409 `session_active` while it runs or waits, unless `force=true`.',
      scope: 'run',
      params,
      query: Type.Object({ force: Type.Optional(Type.Boolean({ default: false })) }, { additionalProperties: false }),
      status: 204,
      answer: Type.Null(),
      record: Session,
      errors: [409],
      handle: (exchange) => deleteSession(ctx, exchange.caller, exchange.params.id, exchange.query.force ?? false),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/children',
      id: 'listSessionChildren',
      summary: "List a session's children",
      description: 'Newest first, including archived ones. Lists direct children only.',
      scope: 'sessions:read',
      params,
      query: ListQuery({}),
      status: 200,
      answer: SessionList,
      handle: async ({ caller, params: { id }, query, reply }) =>
        sendJson(reply, await listChildren(ctx, caller, id, query)),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/usage',
      id: 'getSessionUsage',
      summary: "Get a session's usage",
      description: 'Covers all turns, in total and by model. The usage of its child sessions is not included.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Usage,
      handle: (exchange) => getUsage(ctx, exchange.caller, exchange.params.id),
    }),
  ];
}
