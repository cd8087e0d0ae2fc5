import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { publish } from '../../outbox/publish.ts';
import { organizationSlug } from '../../db/organization-slug.ts';
import { changeRequestNews } from '../repositories/open-change-request.ts';
import { readChangeRequest } from '../repositories/public.ts';
import type { FollowRow } from './store.ts';

/** Tells the session, notifications and metrics that the state of a followed change request changed. */
export async function publishFollow(
  ctx: Pick<Context, 'baseUrl'>,
  trx: Transaction<DB>,
  row: FollowRow,
  actor: { type: string; id: string },
): Promise<void> {
  // As it is now: it may have ended while a look asked the git host.
  const change = await readChangeRequest(trx, row.org_id, row.repository_id, row.number);
  if (change === undefined) return;
  const slug = await organizationSlug(trx, row.org_id);
  await publish(trx, {
    orgId: row.org_id,
    type: 'change_request.follow_changed',
    resource: { type: 'change_request', id: change.id },
    actor: { type: actor.type, id: actor.id },
    data: {
      ...changeRequestNews(ctx, slug, change, change),
      session_id: row.session_id,
      checks: { state: row.checks_state, failing: row.failing },
      review_state: row.review_state,
      mergeable: change.mergeable ?? false,
      follow: { state: row.state, rounds: row.memory.rounds },
    },
  });
}
