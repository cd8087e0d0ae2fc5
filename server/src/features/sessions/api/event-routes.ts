import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { route, sendJson, type Route } from '../../../http/route.ts';
import { Id, List, ListQuery, Text } from '../../../http/schema.ts';
import { eventStreamHeaders, framesOf, openEventStream } from '../../../http/sse.ts';
import { explainEvents } from '../schemas/event-descriptions.ts';
import { Event } from '../schemas/event-schemas.ts';
import { listEvents, requireStreamState, startOf } from './event-service.ts';
import { streamEvents } from './event-stream.ts';

const params = { id: Id };
const lastEventId = Type.Optional(
  Text(15, {
    pattern: '^\\d*$',
    'x-form': 'the id of an event of this stream: a whole number',
    description: 'The last event that you have: sends only newer ones. Stronger than `after_seq`.',
  }),
);
const afterSeq = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

export function eventRoutes(ctx: Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>): Route[] {
  explainEvents();
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/events',
      id: 'listSessionEvents',
      summary: "List a session's events",
      description:
        'Oldest first. Send `after_seq` to get only newer events; `total` counts those after it. Begins with the first event that is kept (settings `retention`); 410 `stream_expired` if events after `after_seq` or `after` are no longer kept, with the first one as `details.first_seq`. `/events/stream` sends the same events and stays open for new ones.',
      scope: 'sessions:read',
      params,
      query: ListQuery({ after_seq: afterSeq }),
      status: 200,
      answer: List(Event),
      errors: [410],
      // The events are JSON text, which skips a serializer that would try twenty shapes for each.
      handle: async ({ caller, params: { id }, query, reply }) =>
        sendJson(reply, await listEvents(ctx, caller, id, query)),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/events/stream',
      id: 'streamSessionEvents',
      summary: "Stream a session's events",
      description:
        'Server-sent events. The first is the current status, without an `id:` line; its `seq` is the number of the last event. Every event after `Last-Event-ID`, or `after_seq`, or from the first that is kept follows, then new ones as they happen. Each event has three lines and an empty one: `id:` is its `seq`, `event:` its `kind`, `data:` the `SessionEvent` as JSON in one line. A comment, `: heartbeat`, is sent after 15 s of silence. Send the last `id` as `Last-Event-ID` to resume after a lost connection, as browsers do by themselves. 410 `stream_expired` if events after it are no longer kept (settings `retention`): start again without it. The stream ends when the session is canceled or deleted.',
      scope: 'sessions:read',
      params,
      query: Type.Object({ after_seq: afterSeq }, { additionalProperties: false }),
      status: 200,
      answer: Type.String(),
      answerType: 'text/event-stream',
      item: framesOf(Event),
      headers: { 'last-event-id': lastEventId },
      errors: [410],
      handle: async ({ caller, params: { id }, query, request, reply }) => {
        const last = request.headers['last-event-id'] ?? '';
        const state = await requireStreamState(ctx, caller, id);
        const from = startOf(state, last === '' ? query.after_seq : Number(last));
        if (request.method === 'HEAD') return reply.headers(eventStreamHeaders).send('');
        await streamEvents(ctx, caller, id, state, from, openEventStream(reply));
        return reply;
      },
    }),
  ];
}
