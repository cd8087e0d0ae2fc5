import type { Context } from '../../../app/context.ts';
import type { Consumer } from '../../../outbox/consumer.ts';
import { listWikisOfSessions } from './store.ts';

/** Lets wikis follow the sessions that write their prose. */
export const followProseSessions: Consumer<Pick<Context, 'jobs'>> = {
  name: 'wikis.follow_sessions',
  types: ['session.status_changed', 'session.deleted'],
  handle: async (ctx, trx, events) => {
    const ids = [...new Set(events.map(({ resource }) => resource.id))];
    for (const { id, org_id } of await listWikisOfSessions(trx, ids))
      await ctx.jobs.enqueue(trx, 'wiki_prose', { org_id, repository_id: id }, { singletonKey: id });
  },
};
