import type { Context } from '../../app/context.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import type { OutboxEvent } from '../../outbox/event.ts';
import { measureCorrections, measureEvents, measureRuns, measureWaits } from './measure-store.ts';

/** Measures sessions and change requests from their events. */
export const measure: Consumer<Context> = {
  name: 'consumption.measurements',
  types: [
    'session.created',
    'session.status_changed',
    'session.message_created',
    'approval.approved',
    'approval.denied',
    'change_request.opened',
    'change_request.state_changed',
    'change_request.merged',
    'change_request.closed',
    'run.status_changed',
  ],
  handle: async (_ctx, trx, events) => {
    const seen = JSON.stringify(events.map(seenEvent));
    const types = new Set(events.map(({ type }) => type));
    // The start of a wait first: its end may be in the same batch.
    if (events.some(({ data }) => data['status'] === 'waiting')) await measureWaits(trx, seen);
    await measureEvents(trx, seen, types);
    if (types.has('run.status_changed')) await measureRuns(trx, seen);
    if (correcting.some((type) => types.has(type))) await measureCorrections(trx, seen);
  },
};

/** The events that may take something back. */
const correcting = ['run.status_changed', 'change_request.state_changed', 'change_request.merged'];

function seenEvent({ position, type, resource, actor, data, at }: OutboxEvent) {
  const { status, previous_status } = data;
  return {
    position,
    type,
    resource_id: resource.id,
    user_id: actor.type === 'user' ? actor.id : null,
    status,
    previous_status,
    at,
  };
}
