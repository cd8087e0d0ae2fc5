import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import { readPlace } from '../repositories/public.ts';
import { readFollowed } from '../sessions/api/follow-service.ts';
import { newMemory } from './decide/types.ts';
import { enqueueLook, enqueueLooks } from './enqueue.ts';
import { policyOf } from './policy-service.ts';
import {
  insertFollow,
  listMentioned,
  listPlacesOfSessions,
  lockFollow,
  updateFollow,
  type NewFollow,
} from './store.ts';

type FollowContext = Pick<Context, 'clock' | 'jobs'>;

/** Looks at change requests that changed here. */
export const lookAtChanges: Consumer<FollowContext> = {
  name: 'follow.changes',
  types: [
    'change_request.opened',
    'change_request.updated',
    'change_request.state_changed',
    'change_request.merged',
    'change_request.closed',
    'change_request.comment_created',
    'change_request.comment_updated',
    'commit_status.set',
    'repository.pushed',
    'review.completed',
  ],
  handle: async (ctx, trx, events) => {
    for (const { type, orgId, resource, data } of events) {
      if (type === 'repository.pushed') await enqueueLooks(ctx, trx, orgId, resource.id);
      if (type === 'commit_status.set') await enqueueLooks(ctx, trx, orgId, String(data['repository_id']));
      if (resource.type !== 'change_request') continue;
      const place = await readPlace(trx, orgId, resource.id);
      if (place !== undefined) await enqueueLook(ctx, trx, place);
    }
  },
};

/** Makes sessions that continue a change request its owners, where the policy follows it. */
export const ownContinued: Consumer<FollowContext> = {
  name: 'follow.continued',
  types: ['change_request.continued'],
  handle: async (ctx, trx, events) => {
    for (const { orgId, resource, data } of events) {
      const place = await readPlace(trx, orgId, resource.id);
      if (place === undefined) continue;
      const { mode } = await policyOf(trx, orgId, place.repository_id);
      if (mode === 'off') continue;
      await own(ctx, trx, { ...place, change_request_id: resource.id, session_id: String(data['session_id']) });
      await enqueueLook(ctx, trx, place);
    }
  },
};

async function own(ctx: FollowContext, trx: Transaction<DB>, follow: Omit<NewFollow, 'memory' | 'now'>): Promise<void> {
  const now = ctx.clock.now();
  const { change_request_id: id, org_id: orgId, session_id } = follow;
  // The host's clock may be ahead of ours.
  const answered = await listMentioned(trx, follow);
  await insertFollow(trx, { ...follow, memory: { ...newMemory(now.getTime()), seen: answered }, now });
  const row = await lockFollow(trx, id);
  if (row === undefined || row.session_id === session_id) return;
  const owner = await readFollowed(trx, orgId, row.session_id);
  if (row.state !== 'ended' && owner !== undefined && owner.status !== 'canceled') return;
  const seen = [...row.memory.seen, ...answered];
  const memory = { ...row.memory, seen, since: now.getTime(), round: null };
  await updateFollow(trx, id, { state: 'watching', reason: '', session_id, memory, updated_at: now });
}

/** Looks at change requests whose sessions ended a turn, or began one. */
export const lookAtSessions: Consumer<FollowContext> = {
  name: 'follow.sessions',
  types: ['session.status_changed', 'session.deleted'],
  handle: async (ctx, trx, events) => {
    for (const orgId of new Set(events.map((event) => event.orgId))) {
      const ids = events.filter((event) => event.orgId === orgId).map(({ resource }) => resource.id);
      for (const place of await listPlacesOfSessions(trx, orgId, [...new Set(ids)])) await enqueueLook(ctx, trx, place);
    }
  },
};

/** Looks at change requests of which a git host said something; without a number, at all of the repository. */
export const lookAtDeliveries: Consumer<FollowContext> = {
  name: 'follow.deliveries',
  types: ['delivery.received'],
  handle: async (ctx, trx, events) => {
    for (const { orgId, resource, data } of events) {
      const { number } = data;
      if (typeof number === 'number')
        await enqueueLook(ctx, trx, { org_id: orgId, repository_id: resource.id, number });
      else if (data['type'] !== 'issue') await enqueueLooks(ctx, trx, orgId, resource.id);
    }
  },
};
