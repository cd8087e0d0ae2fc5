import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id, List, ListQuery } from '../../../http/schema.ts';
import { CreateMessage, Message } from '../schemas/message-schemas.ts';
import { deleteMessage, listMessages, sendMessage } from './message-service.ts';
import * as examples from '../schemas/examples.ts';

export function messageRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'jobs' | 'config'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/messages',
      id: 'listSessionMessages',
      summary: "List a session's messages",
      description:
        'What people said to it, the prompt first; `state` tells which of them it has been given. What the agent says is in `/events`, as events of the kind `message`.',
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
      summary: 'Send a message to a session',
      description:
        'One call whatever the state: a session that works gets it as `delivery` says, one that waits or ended begins a new turn with it, and a suspended one resumes. A plan that waits for approval is denied by it. 409 `session_terminal` for a session that was canceled, or failed before its first checkpoint; 402 `budget_exceeded` where a group has used up its day; 403 `forbidden` where it works with secrets of its creator and somebody else speaks.',
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
      summary: 'Withdraw a message',
      description:
        'Only while its `state` is `queued`: 409 `invalid_transition` afterwards, and for one that tells of a decision about a plan. It stays in the list as `withdrawn`.',
      scope: 'run',
      params: { id: Id, messageId: Id },
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params }) => deleteMessage(ctx, caller, params.id, params.messageId),
    }),
  ];
}
