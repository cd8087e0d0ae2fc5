import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { route, sendJson, type Route } from '../../http/route.ts';
import { Id, ListQuery } from '../../http/schema.ts';
import { listChildren } from './child-service.ts';
import { createSession } from './create-service.ts';
import { explainSessions } from './descriptions.ts';
import { CreateSession, Queue, Session, SessionList, SessionQuery, UpdateSession, Usage } from './schemas.ts';
import { deleteSession, getQueue, getSession, getUsage, listSessions, updateSession } from './service.ts';
import * as examples from './examples.ts';

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
      summary: 'List sessions, newest first',
      description: 'A filter takes one value or several separated by commas; filters combine with "and".',
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
      summary: 'Start a session',
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
      summary: 'How many sessions wait, and for how many workers',
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
      summary: "Change a session's title, tags, metadata or budget",
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
      summary: 'Delete a session with all it left',
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
      summary: 'The sessions that a session started, newest first',
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
      summary: 'What a session used',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Usage,
      handle: (exchange) => getUsage(ctx, exchange.caller, exchange.params.id),
    }),
  ];
}
