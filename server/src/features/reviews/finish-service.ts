import { Value } from 'typebox/value';
import { agentDriver } from '../../adapters/agent/drivers.ts';
import { publish } from '../../outbox/publish.ts';
import { refOf } from '../repositories/open-change-request.ts';
import { requireRepository } from '../repositories/service.ts';
import { isGenerated } from './generated.ts';
import { linesOf } from './diff-lines.ts';
import { failReview } from './end-service.ts';
import { lockFindings, updateFindingRow } from './finding-store.ts';
import { storeFindings } from './findings-service.ts';
import { placeFindings } from './fingerprint.ts';
import { isAsSevere, ReviewOutput } from './output.ts';
import { policyOf } from './policy-service.ts';
import { chooseComments } from './posting/plan.ts';
import { takesReviews } from './posting/post-service.ts';
import { isProving, startProof, withProofs } from './proof/proof-service.ts';
import type { StartContext } from './reviewer.ts';
import { listCompleted, lockReview, updateReview, type readReviewSession, type ReviewRow } from './store.ts';

type ReviewSession = NonNullable<Awaited<ReturnType<typeof readReviewSession>>>;

/**
 * Has the commands of findings run first. Then stores what a reviewer found, and what of it is to be posted; a job posts it. A
 * review that a newer one overtook is superseded and changes nothing.
 */
export async function finishReview(ctx: StartContext, review: ReviewRow, session: ReviewSession): Promise<void> {
  const { org_id: orgId, repository_id, base_sha, head_sha } = review;
  const output = session.structured_output;
  if (!Value.Check(ReviewOutput, output))
    return ctx.db.transaction((trx) => failReview(ctx, trx, review, 'The reviewer submitted no findings.'));
  const repository = await requireRepository(ctx, orgId, repository_id);
  const source = ctx.sourceControl.of(repository.provider);
  const { files } = await source.compare(refOf(orgId, repository), base_sha, head_sha);
  const lines = linesOf(files);
  const placed = placeFindings(output.findings, lines).filter(({ file }) => !isGenerated(file, lines.get(file)));
  if (await isProving(ctx, review)) return;
  if (review.proof_session_id === '' && (await startProof(ctx, review, placed))) return;
  const found = await withProofs(ctx, review, placed);
  const isExhaustive = agentDriver(session.runtime).capabilities.declaresWork;
  await ctx.db.transaction(async (trx) => {
    const row = await lockReview(trx, review.id);
    if (row?.status !== 'queued' && row?.status !== 'running') return;
    const now = ctx.clock.now();
    const [last] = await listCompleted(trx, review.change_request_id);
    if (last !== undefined && last.id > review.id) {
      await updateReview(trx, review.id, { status: 'superseded', completed_at: now, updated_at: now });
      return;
    }
    const policy = await policyOf(trx, orgId, repository_id);
    const known = await lockFindings(trx, review.change_request_id);
    await storeFindings({ trx, now, review, known, found, lines, isExhaustive });
    const findings = await lockFindings(trx, review.change_request_id);
    const from = policy.request_changes_from;
    const blocks = findings.some(
      ({ status, severity }) => status === 'open' && from !== '' && isAsSevere(severity, from),
    );
    const posting = !policy.post ? '' : takesReviews(source) ? 'pending' : 'not_offered';
    if (posting === 'pending')
      for (const { id } of chooseComments(review.id, policy, findings))
        await updateFindingRow(trx, id, { posting: 'intended', updated_at: now });
    await updateReview(trx, review.id, {
      status: 'completed',
      verdict: blocks ? 'request_changes' : 'comment',
      summary: output.summary,
      comment_id: last?.comment_id ?? '',
      posting,
      completed_at: now,
      updated_at: now,
    });
    await ctx.jobs.enqueue(trx, 'review', { review_id: review.id }, { singletonKey: review.id });
    await publish(trx, {
      orgId,
      type: 'review.completed',
      resource: { type: 'review', id: review.id },
      actor: { type: 'session', id: session.id },
    });
  });
}
