import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { route, sendJson, type Route } from '../../../http/route.ts';
import { Id, List, ListQuery } from '../../../http/schema.ts';
import { openEventStream } from '../../../http/sse.ts';
import { AppError } from '../../../lib/errors.ts';
import { explainEvents } from '../schemas/event-descriptions.ts';
import { Event } from '../schemas/event-schemas.ts';
import { listEvents, requireStreamState } from './event-service.ts';
import { streamEvents } from './event-stream.ts';

const params = { id: Id };
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
        'Oldest first. Send `after_seq` to get only newer events; `total` counts those after it. `/events/stream` sends the same events and stays open for new ones.',
      scope: 'sessions:read',
      params,
      query: ListQuery({ after_seq: afterSeq }),
      status: 200,
      answer: List(Event),
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
        'Server-sent events. The first is the current status, without an `id:` line; its `seq` is the number of the last event. Every event after `Last-Event-ID`, or `after_seq`, or from the first follows, then new ones as they happen. `id:` is `seq`, `event:` the kind, `data:` the event. A comment is sent every 15 s.',
      scope: 'sessions:read',
      params,
      query: Type.Object({ after_seq: afterSeq }, { additionalProperties: false }),
      status: 200,
      answer: Type.String(),
      answerType: 'text/event-stream',
      errors: [410],
      handle: async ({ caller, params: { id }, query, request, reply }) => {
        const from = lastEventId(request.headers['last-event-id']) ?? query.after_seq ?? 0;
        const state = await requireStreamState(ctx, caller, id);
        await streamEvents(ctx, caller, id, state, from, openEventStream(reply));
        return reply;
      },
    }),
  ];
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  throw new AppError('invalid_request', 'Last-Event-ID must be the id of an event of this stream: a whole number.');
}
