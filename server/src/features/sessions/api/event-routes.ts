import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { sendJson } from '../../../http/etags.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id, Text } from '../../../http/schema.ts';
import { eventStreamHeaders, framesOf, openEventStream } from '../../../http/sse.ts';
import { explainEvents } from '../schemas/event-descriptions.ts';
import { Outline } from '../schemas/outline-schemas.ts';
import { afterSeq, Event, EventList, EventQuery } from '../schemas/event-schemas.ts';
import { sessionOutline } from './outline-service.ts';
import { listEvents } from './event-list-service.ts';
import { requireStreamState, startOfStream } from './event-service.ts';
import { streamEvents } from './event-stream.ts';

const params = { id: Id };
const lastEventId = Type.Optional(
  Text(15, {
    pattern: '^\\d*$',
    'x-form': 'the id of an event of this stream: a whole number',
    description: 'The last event that you have: sends only newer ones. Stronger than `after_seq`.',
  }),
);
/**
 * Of a part of a log that cannot change. Retention and deletion end it, so it is kept for a day; and only for the same
 * credential, because a browser may have several users.
 */
const finalHeaders = {
  'cache-control': 'private, max-age=86400, immutable',
  vary: 'authorization, cookie, x-guildhall-organization',
};

export function eventRoutes(ctx: Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>): Route[] {
  explainEvents();
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/events',
      id: 'listSessionEvents',
      summary: "List a session's events",
      description:
        'Oldest first. Send `after_seq` to get only newer events, `before_seq` to page backwards, or both for a part of the log; a page that can no longer change, because it is before a `before_seq` that exists, may be cached (`cache-control: private, immutable`). `total` counts the events that match. With `search`, `total` counts the events on this page, and a search that takes longer than a second stops: `scan.complete` is then false, and the next page, from `end_cursor`, continues it, even if this page is empty. Begins with the first event that is kept (settings `retention`); 410 `stream_expired` if the events at its position are no longer kept; `details.first_seq` is then the first event that is. `/events/stream` sends the same events and stays open for new ones.',
      scope: 'sessions:read',
      params,
      query: EventQuery,
      status: 200,
      answer: EventList,
      errors: [410],
      handle: async ({ caller, params: { id }, query, reply }) => {
        const { text, isFinal } = await listEvents(ctx, caller, id, query);
        if (isFinal) reply.headers(finalHeaders);
        // The events are JSON text, which skips a serializer that would try twenty shapes for each.
        return sendJson(reply, text);
      },
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/outline',
      id: 'getSessionOutline',
      summary: "Get the outline of a session's log",
      description:
        'Its turns, phases and other important events by number: enough to draw the whole log and to jump in it, without reading it. For events after `last_seq`, see `/events`.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Outline,
      handle: ({ caller, params: { id } }) => sessionOutline(ctx, caller, id),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/events/stream',
      id: 'streamSessionEvents',
      summary: "Stream a session's events",
      description:
        'Server-sent events. The first is the current status, without an `id:` line; its `seq` is the number of the last event. Every event after `Last-Event-ID`, or `after_seq`, or from the first that is kept follows, then new ones as they happen. Each event has three lines and an empty one: `id:` is its `seq`, `event:` its `kind`, `data:` the `SessionEvent` as JSON in one line. A comment, `: heartbeat`, is sent after 15 s of silence. Send the last `id` as `Last-Event-ID` to resume after a lost connection, as browsers do by themselves. 410 `stream_expired` if events after it are no longer kept (settings `retention`): start again without it. So it is if the database lost the event, as when an older backup is restored; `details.last_seq` is then the last event that is. 400 for an `after_seq` after the last event. The stream ends when the session is canceled or deleted.',
      scope: 'sessions:read',
      params,
      query: Type.Object(afterSeq, { additionalProperties: false }),
      status: 200,
      answer: Type.String(),
      answerType: 'text/event-stream',
      item: framesOf(Event),
      headers: { 'last-event-id': lastEventId },
      errors: [410],
      handle: async ({ caller, params: { id }, query, request, reply }) => {
        const last = request.headers['last-event-id'] ?? '';
        const state = await requireStreamState(ctx, caller, id);
        const from = startOfStream(state, String(last), query.after_seq);
        if (request.method === 'HEAD') return reply.headers(eventStreamHeaders).send('');
        await streamEvents(ctx, caller, id, state, from, () => openEventStream(reply, caller.organization.id));
        return reply;
      },
    }),
  ];
}
