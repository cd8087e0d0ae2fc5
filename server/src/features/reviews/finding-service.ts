import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { filterValues } from '../../lib/filters.ts';
import { paginate } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { findingsQuery, listFindingRows, lockFinding, readFinding, updateFindingRow } from './finding-store.ts';
import { severities } from './output.ts';
import { enqueuePost } from './posting/post-store.ts';
import { findingStatuses, type FindingQuery, type UpdateFinding } from './schemas.ts';
import { getReview } from './service.ts';

type FindingContext = Pick<Context, 'db' | 'clock' | 'jobs'>;

/** Lists what a review found, or confirmed, newest first. Throws 404 `review_not_found`. */
export async function listFindings(ctx: Pick<Context, 'db'>, caller: Actor, reviewId: string, query: FindingQuery) {
  const orgId = caller.organization.id;
  await getReview(ctx, caller, reviewId);
  const { status, severity } = query;
  const rows = findingsQuery(ctx.db.kysely, orgId, reviewId, {
    statuses: filterValues('status', status, findingStatuses),
    severities: filterValues('severity', severity, severities),
  });
  return paginate({
    list: 'review_findings',
    filters: { reviewId, status, severity },
    query,
    rows: (after, limit) => listFindingRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Throws 404 `review_not_found`, `finding_not_found`. */
export async function getFinding(ctx: Pick<Context, 'db'>, caller: Actor, reviewId: string, id: string) {
  await getReview(ctx, caller, reviewId);
  const row = await readFinding(ctx.db.kysely, caller.organization.id, reviewId, id);
  if (row === undefined) throw notFound('finding', id);
  return row;
}

/** Dismisses a finding, which resolves its thread, or takes that back, which does not. Throws 404 `finding_not_found`, 409 `conflict`. */
export async function updateFinding(
  ctx: FindingContext,
  caller: Caller,
  place: { reviewId: string; id: string },
  input: UpdateFinding,
) {
  const orgId = caller.organization.id;
  if (Object.keys(input).length === 0)
    throw fieldError('', (name) => `must have ${name('/status')}, ${name('/reason')} or both.`);
  await getReview(ctx, caller, place.reviewId);
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockFinding(trx, orgId, place.reviewId, place.id);
    if (before === undefined) throw notFound('finding', place.id);
    await requireMatch(caller, () => before);
    const { status = before.status, reason = before.reason } = input;
    if (before.status === 'resolved')
      throw new AppError('conflict', `The finding is resolved: ${before.reason}. Nothing remains to decide.`);
    if (status === before.status && reason === before.reason) return before;
    const now = ctx.clock.now();
    audit({
      action: 'finding.update',
      resource: { type: 'finding', id: place.id },
      changes: { status, ...(input.reason === undefined ? {} : { reason: 'changed' }) },
      data: { review_id: place.reviewId, status },
    });
    const after = await updateFindingRow(trx, place.id, { status, reason, updated_at: now });
    if (status !== before.status) await enqueuePost(ctx, trx, place.id);
    return after;
  });
}
