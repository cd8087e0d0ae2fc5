import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id, List, ListQuery } from '../../../http/schema.ts';
import { CreateMessage, Message } from '../schemas/message-schemas.ts';
import { deleteMessage, listMessages, sendMessage } from './message-service.ts';
import * as examples from '../schemas/examples.ts';

export function messageRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'config'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/messages',
      id: 'listSessionMessages',
      summary: "List a session's messages",
      description:
        'Oldest first: the prompt and the messages of users; `state` shows whether the session received one. Messages of the agent are in `/events`, as events of the kind `message`.',
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
        'Works in every state: a running session receives it according to `delivery`, a waiting or ended one starts a new turn with it, and a suspended one resumes. It denies a plan that waits for approval. 409 `session_terminal` if the session was canceled or failed before its first checkpoint, 402 `budget_exceeded` if the limit that suspended the session was not raised or a group has reached its daily limit, 403 `forbidden` if the session uses personal secrets of its creator and another user sends the message.',
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
        'Only while its `state` is `queued`; otherwise, and for a message that tells the decision about an approval, 409 `invalid_transition`. It stays in the list as `withdrawn`.',
      scope: 'run',
      params: { id: Id, messageId: Id },
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params }) => deleteMessage(ctx, caller, params.id, params.messageId),
    }),
  ];
}
