import { Value } from 'typebox/value';
import type { Context } from '../../../app/context.ts';
import type { Consumer } from '../../../outbox/consumer.ts';
import { readSessionsOf } from '../../repositories/public.ts';
import { ChangeRequestNews } from '../schemas/session-schemas.ts';
import { appendEvents } from '../store/log-store.ts';

/** Adds an event to the logs of a change request's sessions when its state changes, and to its owner's for how it is followed. */
export const noteChangeRequests: Consumer<Context> = {
  name: 'sessions.change_request_events',
  types: ['change_request.state_changed', 'change_request.follow_changed'],
  handle: async (_ctx, trx, events) => {
    for (const { type, resource, data: published } of events) {
      const { session_id: owner, previous_state: _, ...news } = published;
      const isOwners = type === 'change_request.follow_changed';
      const sessionIds = isOwners ? [String(owner)] : await readSessionsOf(trx, resource.id);
      if (sessionIds.length === 0) continue;
      const data = Value.Parse(ChangeRequestNews, news);
      // Appends nothing if the session was deleted.
      for (const id of sessionIds) await appendEvents(trx, id, null, [{ kind: 'change_request', data }]);
    }
  },
};
