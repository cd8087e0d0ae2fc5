import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { route, sendJson, type Route } from '../../../http/route.ts';
import { Id, ListQuery } from '../../../http/schema.ts';
import { listChildren } from './child-service.ts';
import { createSession } from './create-service.ts';
import { explainSessions } from '../schemas/descriptions.ts';
import {
  CreateSession,
  Queue,
  Session,
  SessionList,
  SessionQuery,
  UpdateSession,
  Usage,
} from '../schemas/session-schemas.ts';
import { deleteSession, getQueue, getSession, getUsage, listSessions, updateSession } from './service.ts';
import * as examples from '../schemas/examples.ts';

const params = { id: Id };

export function sessionRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log' | 'baseUrl' | 'jobs' | 'blobs' | 'keyRing' | 'runtimes'>,
): Route[] {
  explainSessions();
  return [
    route({
      method: 'GET',
      path: '/sessions',
      id: 'listSessions',
      summary: 'List sessions',
      description:
        'Archived ones only with `archived`. A filter takes one value or several separated by commas; filters combine with "and". 400 for a status, detail or origin that there is none of.',
      scope: 'sessions:read',
      query: SessionQuery,
      status: 200,
      answer: SessionList,
      handle: async ({ caller, query, reply }) => sendJson(reply, await listSessions(ctx, caller, query)),
    }),
    route({
      method: 'POST',
      path: '/sessions',
      id: 'createSession',
      summary: 'Create a session',
      description:
        'Answers as soon as it is `queued`; a worker takes it from there, and `/events/stream` tells what happens. Only `prompt` is required. 400 `tag_not_allowed` by the run tag policy, 404 for a repository or an agent that the organization does not have, 402 `budget_exceeded` where a group of its person has used up its day, 403 `forbidden` for a model that the caller may not use. A ref that does not exist shows later: the session ends `failed` with `clone_failed`.',
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
      path: '/sessions/queue',
      id: 'getSessionQueue',
      summary: 'Get the session queue',
      description: "The sessions are the organization's own; workers and slots are those of the whole installation.",
      scope: 'sessions:read',
      status: 200,
      answer: Queue,
      handle: ({ caller }) => getQueue(ctx, caller),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id',
      id: 'getSession',
      summary: 'Get a session',
      description: 'As it stands now; `/events` tells how it came to that, and `/events/stream` what happens next.',
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
        'What is left out stays; `tags`, `metadata` and `budget` are replaced whole. A new budget holds at once, also for a session that runs; one that was suspended as `budget_reached` goes on with `/resume`. 400 `tag_not_allowed` by the run tag policy.',
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
        'With it go its messages, events, checkpoints and artifacts, for good. Branches that it pushed and change requests that it opened stay. 409 `session_active` while it works or waits, unless `force=true`.',
      scope: 'run',
      params,
      query: Type.Object({ force: Type.Optional(Type.Boolean({ default: false })) }, { additionalProperties: false }),
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: (exchange) => deleteSession(ctx, exchange.caller, exchange.params.id, exchange.query.force ?? false),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/children',
      id: 'listSessionChildren',
      summary: "List a session's children",
      description: 'Archived ones too. Only those that it started itself, not those that these started.',
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
      description:
        'Over all turns, and by model. Sessions that it started have usage of their own, which is not counted here.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Usage,
      handle: (exchange) => getUsage(ctx, exchange.caller, exchange.params.id),
    }),
  ];
}
