import { Value } from 'typebox/value';
import type { Context } from '../../../app/context.ts';
import type { Consumer } from '../../../outbox/consumer.ts';
import { ChangeRequestNews } from '../schemas/session-schemas.ts';
import { appendEvents } from '../store/run-store.ts';

/** Adds an event to the log of the session that opened a change request when its state changes, or how it is followed. */
export const noteChangeRequests: Consumer<Context> = {
  name: 'sessions.change_request_events',
  types: ['change_request.state_changed', 'change_request.follow_changed'],
  handle: async (_ctx, trx, events) => {
    for (const { data: published } of events) {
      const { session_id: sessionId, previous_state: _, ...news } = published;
      if (typeof sessionId !== 'string' || sessionId === '') continue;
      const data = Value.Parse(ChangeRequestNews, news);
      // Appends nothing if the session was deleted.
      await appendEvents(trx, sessionId, null, [{ kind: 'change_request', data }]);
    }
  },
};
