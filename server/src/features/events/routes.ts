import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Text } from '../../http/schema.ts';
import { eventStreamHeaders, framesOf, openEventStream } from '../../http/sse.ts';
import { fieldError } from '../../lib/field-error.ts';
import { textValues } from '../../lib/filters.ts';
import { activityType } from './activity-feed.ts';
import { createFeeds } from './feed.ts';
import { OrganizationEvent } from './schemas.ts';
import { streamOrganization } from './stream-service.ts';
import { unknownSelector } from './visibility.ts';

const lastEventId = Type.Optional(
  Text(15, {
    pattern: '^\\d*$',
    'x-form': 'the id of an event of this stream: a whole number',
    description: 'The last event that you have: sends only newer ones.',
  }),
);

export function organizationEventRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>,
  eventTypes: () => readonly string[],
): Route[] {
  const feeds = createFeeds(ctx);
  return [
    route({
      method: 'GET',
      path: '/events/stream',
      id: 'streamOrganizationEvents',
      summary: "Stream an organization's events",
      description:
        'Server-sent events: what happens in the organization from now on, as far as your scopes allow you to read it. Events of private notes and secrets go only to their owner. Each event has three lines and an empty one: `id:` is its `seq`, `event:` its `type`, `data:` the `OrganizationEvent` as JSON in one line. `session.activity_changed` tells what a session does, at most once a second; it has no `id:`, is not sent to webhooks, and is not kept. A comment, `: heartbeat`, is sent after 15 s of silence. Send the last `id` as `Last-Event-ID` to resume after a lost connection, as browsers do by themselves. Events are kept for a day. If yours are no longer kept, an event `reset` comes first: read again what you show. The stream ends when your permission changes; reconnect.',
      scope: 'any',
      query: Type.Object(
        {
          types: Type.Optional(
            Text(2_000, {
              description:
                'Types of events, separated by commas: `session.created`, or `session.*` for all of a resource. All by default.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      status: 200,
      answer: Type.String(),
      answerType: 'text/event-stream',
      item: framesOf(OrganizationEvent),
      headers: { 'last-event-id': lastEventId },
      handle: async ({ caller, query, request, reply }) => {
        const types = textValues('types', query.types);
        const unknown = unknownSelector(types, [...eventTypes(), activityType]);
        if (unknown !== undefined)
          throw fieldError(
            '/types',
            `: ${JSON.stringify(unknown)} must be a type of events, such as "session.created".`,
          );
        const last = request.headers['last-event-id'] ?? '';
        if (request.method === 'HEAD') return reply.headers(eventStreamHeaders).send('');
        const after = last === '' ? undefined : Number(last);
        await streamOrganization(ctx, feeds, { caller, types, after }, () =>
          openEventStream(reply, caller.organization.id),
        );
        return reply;
      },
    }),
  ];
}
