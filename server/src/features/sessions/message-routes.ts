import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { CreateMessage, Message } from './message-schemas.ts';
import { deleteMessage, listMessages, sendMessage } from './message-service.ts';
import * as examples from './examples.ts';

export function messageRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'jobs'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/messages',
      id: 'listSessionMessages',
      summary: "A session's messages, oldest first",
      scope: 'sessions:read',
      params: { id: Id },
      query: ListQuery({}),
      status: 200,
      answer: List(Message),
      handle: ({ caller, params, query }) => listMessages(ctx, caller, params.id, query),
    }),
    route({
      method: 'POST',
      path: '/sessions/:id/messages',
      id: 'sendSessionMessage',
      summary: 'Say something to a session, whatever it is doing',
      scope: 'run',
      params: { id: Id },
      body: CreateMessage,
      examples: examples.createMessage,
      status: 202,
      errors: [402],
      answer: Message,
      handle: ({ caller, params, body }) => sendMessage(ctx, caller, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/sessions/:id/messages/:messageId',
      id: 'withdrawSessionMessage',
      summary: 'Take back a message that was not delivered yet',
      scope: 'run',
      params: { id: Id, messageId: Id },
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params }) => deleteMessage(ctx, caller, params.id, params.messageId),
    }),
  ];
}
