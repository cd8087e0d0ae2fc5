import type { Context } from '../../app/context.ts';
import type { Consumer } from '../../outbox/consumer.ts';
import { openOnBranches, readPlace } from '../repositories/public.ts';
import { enqueuePolicyLook } from './policy-look-service.ts';
import { listReviewsOfSessions } from './store.ts';

type ReviewContext = Pick<Context, 'clock' | 'jobs'>;

/** A push is reviewed after so much quiet, in milliseconds: people push several times in a row. */
const quietMs = 120_000;

/** Lets reviews follow the sessions that carry them out. */
export const followReviewSessions: Consumer<ReviewContext> = {
  name: 'reviews.follow_sessions',
  types: ['session.status_changed', 'session.deleted'],
  handle: async (ctx, trx, events) => {
    const ids = [...new Set(events.map(({ resource }) => resource.id))];
    for (const { id } of await listReviewsOfSessions(trx, ids))
      await ctx.jobs.enqueue(trx, 'review', { review_id: id }, { singletonKey: id });
  },
};

/** Looks at change requests that were opened or pushed to. */
export const reviewByPolicy: Consumer<ReviewContext> = {
  name: 'reviews.policy',
  types: ['change_request.opened', 'change_request.updated', 'delivery.received', 'repository.pushed'],
  handle: async (ctx, trx, events) => {
    for (const { type, orgId, resource, data } of events) {
      if (type === 'delivery.received') {
        // Another git host said so; its record is refreshed meanwhile.
        const { type: kind, number } = data;
        if (kind === 'change_request' && typeof number === 'number')
          await enqueuePolicyLook(ctx, trx, { org_id: orgId, repository_id: resource.id, number }, quietMs);
        continue;
      }
      if (type === 'repository.pushed') {
        const branches = branchesOf(data['refs']);
        const open = branches.length === 0 ? [] : await openOnBranches(trx, orgId, resource.id, branches);
        for (const { number } of open)
          await enqueuePolicyLook(ctx, trx, { org_id: orgId, repository_id: resource.id, number }, quietMs);
        continue;
      }
      const place = await readPlace(trx, orgId, resource.id);
      if (place !== undefined) await enqueuePolicyLook(ctx, trx, place, type === 'change_request.opened' ? 0 : quietMs);
    }
  },
};

function branchesOf(refs: unknown): string[] {
  const prefix = 'refs/heads/';
  if (!Array.isArray(refs)) return [];
  const names = refs.map((update: unknown) => String(Reflect.get(Object(update), 'ref')));
  return names.filter((ref) => ref.startsWith(prefix)).map((ref) => ref.slice(prefix.length));
}
