import type { Context } from '../../app/context.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import type { OutboxEvent } from '../../outbox/event.ts';
import { touchRepositories } from './store.ts';

/** Records the last start of a session on each repository. */
export const noteSessions: Consumer<Context> = {
  name: 'repositories.last_session_at',
  types: ['session.created'],
  handle: async (_ctx, trx, events) => {
    for (const event of events) await touchRepositories(trx, event.orgId, repositoryIdsOf(event), event.at);
  },
};

function repositoryIdsOf({ data }: OutboxEvent): string[] {
  const { repository_ids: ids } = data;
  return Array.isArray(ids) ? ids.map(String) : [];
}
