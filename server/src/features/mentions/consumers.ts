import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import { mentionsSince } from '../follow/public.ts';
import { listMentionsOf } from './store.ts';
import type { Place } from './thread.ts';

type MentionContext = Pick<Context, 'clock' | 'jobs'>;

/** Events come in bursts. */
const quietMs = 2_000;

/** Looks for mentions where a git host says that somebody spoke, if the policy of the repository lets mentions start something. */
export const hearHosts: Consumer<MentionContext> = {
  name: 'mentions.hosts',
  types: ['delivery.received'],
  handle: async (ctx, trx, events) => {
    for (const { orgId, resource, data } of events) {
      const { number, on } = data;
      const type = String(data['type']);
      if (typeof number !== 'number' || !['comment', 'review', 'issue', 'change_request'].includes(type)) continue;
      if ((await mentionsSince(trx, orgId, resource.id)) === undefined) continue;
      const kind = type === 'issue' || on === 'issue' ? 'issue' : 'change_request';
      await enqueueLook(ctx, trx, { org_id: orgId, repository_id: resource.id, kind, number });
    }
  },
};

/** Answers mentions whose sessions ended. */
export const hearSessions: Consumer<MentionContext> = {
  name: 'mentions.sessions',
  types: ['session.status_changed', 'session.deleted'],
  handle: async (ctx, trx, events) => {
    const ids = [...new Set(events.map(({ resource }) => resource.id))];
    for (const id of await listMentionsOf(trx, ids)) await enqueueAnswer(ctx, trx, id);
  },
};

/** Enqueues a look for mentions in an issue or change request. */
export async function enqueueLook(ctx: MentionContext, trx: Transaction<DB>, place: Place): Promise<void> {
  const { repository_id, kind, number } = place;
  const startAfter = new Date(ctx.clock.now().getTime() + quietMs);
  await ctx.jobs.enqueue(trx, 'mention', place, { singletonKey: `${repository_id} ${kind} ${number}`, startAfter });
}

/** Enqueues to say what became of a mention, after some milliseconds. */
export async function enqueueAnswer(ctx: MentionContext, trx: Transaction<DB>, id: string, afterMs = 0): Promise<void> {
  const startAfter = afterMs === 0 ? {} : { startAfter: new Date(ctx.clock.now().getTime() + afterMs) };
  await ctx.jobs.enqueue(trx, 'mention', { mention_id: id }, { singletonKey: id, ...startAfter });
}
