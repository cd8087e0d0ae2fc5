import type { Context } from '../../../app/context.ts';
import { sendJson } from '../../../http/etags.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id } from '../../../http/schema.ts';
import { ChangeSessions, SessionChanges } from '../schemas/bulk-schemas.ts';
import * as examples from '../schemas/examples.ts';
import { MarkSessionRead, SessionCounts, SessionFilters, SessionQuery, SessionRead } from '../schemas/list-schemas.ts';
import { Queue, SessionList } from '../schemas/session-schemas.ts';
import { changeSessions } from './bulk-service.ts';
import { countSessions, listSessions } from './list-service.ts';
import { markSessionRead } from './read-service.ts';
import { getQueue } from './service.ts';

/** The operations of the list of sessions and of what people do with it. */
export function listRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'config' | 'log'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions',
      id: 'listSessions',
      summary: 'List sessions',
      description:
        'Newest first, unless `sort` says otherwise. Archived sessions are listed only with `archived`. A filter takes one value, or several separated by commas; filters combine with "and". 400 for an unknown status, detail, attention, verification or origin.',
      scope: 'sessions:read',
      query: SessionQuery,
      status: 200,
      answer: SessionList,
      handle: async ({ caller, query, reply }) => sendJson(reply, await listSessions(ctx, caller, query)),
    }),
    route({
      method: 'GET',
      path: '/sessions/counts',
      id: 'countSessions',
      summary: 'Count sessions',
      description:
        'Counts the sessions that match the filters of the list, by how they stand; each is in one of the counts besides `unread`. A count is exact up to 10,000; above that it is an estimate, and never smaller.',
      scope: 'sessions:read',
      query: SessionFilters,
      status: 200,
      answer: SessionCounts,
      handle: ({ caller, query }) => countSessions(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path: '/sessions/queue',
      id: 'getSessionQueue',
      summary: 'Get the session queue',
      description: "Counts the organization's waiting sessions. Workers and slots are those of the whole installation.",
      scope: 'sessions:read',
      status: 200,
      answer: Queue,
      handle: ({ caller }) => getQueue(ctx, caller),
    }),
    route({
      method: 'POST',
      path: '/sessions/bulk',
      id: 'changeSessions',
      summary: 'Change several sessions',
      description:
        'Does the same with up to 200 sessions, like the operation on one: each has its own result, its own audit entry and its own event, and one that is refused does not stop the others. 400 `invalid_request` for `tags` with another action than `tag`, or none with it.',
      scope: 'run',
      body: ChangeSessions,
      examples: examples.changeSessions,
      status: 200,
      answer: SessionChanges,
      handle: ({ caller, body }) => changeSessions(ctx, caller, body),
    }),
    route({
      method: 'PUT',
      path: '/sessions/:id/read',
      id: 'markSessionRead',
      summary: 'Mark a session as read',
      description:
        'Records how far you have read its log, for you alone. A session that you have marked is `unread` again when it stops after that event. The mark never goes back, so a second window that is behind changes nothing.',
      scope: 'sessions:read',
      persons: true,
      params: { id: Id },
      body: MarkSessionRead,
      examples: examples.markSessionRead,
      status: 200,
      answer: SessionRead,
      handle: ({ caller, params, body }) => markSessionRead(ctx, caller, params.id, body.seq),
    }),
  ];
}
