import type { Discussion } from '../../../adapters/source-control/collaboration.ts';
import type { RepositoryRef, SourceControl } from '../../../adapters/source-control/port.ts';
import type { Context } from '../../../app/context.ts';
import { AppError, messageOf, ProviderError } from '../../../lib/errors.ts';
import { refOf } from '../../repositories/open-change-request.ts';
import { requireRepository } from '../../repositories/service.ts';
import { updateFindingRow } from '../finding-store.ts';
import { updateReview, type ReviewRow } from '../store.ts';
import { hearPeople, type HearContext } from './hear-service.ts';
import { planPost, type Plan } from './plan.ts';
import { claimPost, endPost, readAllFindings, type Lease } from './post-store.ts';
import { findingText, laterText, summaryText } from './texts.ts';

export type PostContext = HearContext & Pick<Context, 'jobs' | 'log'>;

/** After so long, a host that does not take a review is not asked again. */
const giveUpMs = 24 * 3_600_000;
/** Rounds until everything is said: an answer to what people said may need a second one. */
const maxRounds = 3;

/** Reviews are posted where the platform can see what is there, so that it posts nothing twice. */
export function takesReviews({ submitReview, discussion }: SourceControl): boolean {
  return submitReview !== undefined && discussion !== undefined;
}

interface Target {
  source: SourceControl;
  ref: RepositoryRef;
  lease: Lease;
}

/**
 * Makes a change request say what is stored of its reviews, at any host. It compares before it writes, and what it intends is
 * stored before: after a crash, another run posts only what is not there yet.
 */
export async function postReview(ctx: PostContext, review: ReviewRow): Promise<void> {
  const lease = await claimPost(ctx, review);
  if (lease === undefined) return;
  try {
    const repository = await requireRepository(ctx, review.org_id, review.repository_id);
    const source = ctx.sourceControl.of(repository.provider);
    const target = { source, ref: refOf(review.org_id, repository), lease };
    for (let round = 0; round < maxRounds; round += 1) {
      const discussion = await hearPeople(ctx, review);
      if (discussion === undefined || !(await postRound(ctx, target, discussion))) break;
    }
    await endPost(ctx, lease, { posting: 'posted', posting_problem: '' });
  } catch (error) {
    const isKnown = error instanceof ProviderError || error instanceof AppError;
    const isOver = ctx.clock.now().getTime() - (review.completed_at ?? review.created_at).getTime() > giveUpMs;
    const retries = !isKnown || (error instanceof ProviderError && error.retryable && !isOver);
    const posting_problem = isKnown ? messageOf(error).slice(0, 1_000) : '';
    await endPost(ctx, lease, { posting: retries ? 'pending' : 'failed', posting_problem });
    if (retries) throw error;
  }
}

/** Carries out what remains to be said; returns false if that was nothing. */
async function postRound(ctx: PostContext, target: Target, discussion: Discussion): Promise<boolean> {
  const { lease, source, ref } = target;
  const { change_request_id, number } = lease.review;
  const review = await current(ctx, lease.review);
  const findings = await readAllFindings(ctx.db.kysely, change_request_id);
  const plan = planPost(review, findings, discussion, lease);
  await record(ctx, plan);
  const submitted = plan.submits ? await submit(ctx, target, { review, plan }) : '';
  const isRewritten = plan.summaryId !== '' && (await rewriteSummary(ctx, target, { review, plan, discussion }));
  const replies = source.reply === undefined ? [] : plan.replies;
  for (const { threadId, body } of replies) await source.reply?.(ref, number, threadId, body);
  for (const { finding, threadId } of plan.resolves) {
    await source.resolveThread?.(ref, number, threadId);
    await ctx.db.transaction((trx) =>
      updateFindingRow(trx, finding.id, { thread_resolved: true, updated_at: ctx.clock.now() }),
    );
  }
  return submitted !== '' || isRewritten || replies.length > 0 || plan.resolves.length > 0;
}

async function current({ db }: PostContext, review: ReviewRow): Promise<ReviewRow> {
  return db.kysely.selectFrom('reviews').selectAll().where('id', '=', review.id).executeTakeFirstOrThrow();
}

/** Records threads that a crash kept from being recorded, and the summary. */
async function record(ctx: PostContext, { found }: Plan): Promise<void> {
  if (found.length === 0) return;
  await ctx.db.transaction(async (trx) => {
    for (const { finding, threadId } of found)
      await updateFindingRow(trx, finding.id, {
        comment_id: threadId,
        posting: 'posted',
        updated_at: ctx.clock.now(),
      });
  });
}

interface Post {
  review: ReviewRow;
  plan: Plan;
}

/** Submits the review with its comments, and records its threads. Returns its id. */
async function submit(ctx: PostContext, { source, ref }: Target, { review, plan }: Post): Promise<string> {
  const { id, number, head_sha: headSha, verdict, change_request_id } = review;
  const { comments, summaryId } = plan;
  const findings = await readAllFindings(ctx.db.kysely, change_request_id);
  const posted = await source.submitReview?.(ref, number, {
    headSha,
    verdict: verdict === 'request_changes' ? 'request_changes' : 'comment',
    body: summaryId === '' ? summaryText(review, intended(findings)) : laterText(review, comments.length),
    comments: comments.map((finding) => {
      const { file: path, line, start_line: startLine, side } = finding;
      return { path, line: line ?? 1, startLine, side, body: findingText(finding) };
    }),
  });
  if (posted === undefined) return '';
  await ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    for (const [at, finding] of comments.entries()) {
      const threadId = posted.threadIds[at] ?? '';
      const posting = threadId === '' ? 'refused' : 'posted';
      await updateFindingRow(trx, finding.id, { comment_id: threadId, posting, updated_at: now });
    }
    if (summaryId === '') await updateReview(trx, id, { comment_id: posted.id, updated_at: now });
  });
  return posted.id;
}

/** Shows comments that are being posted as if they were there. */
function intended(findings: Awaited<ReturnType<typeof readAllFindings>>) {
  return findings.map((finding) =>
    finding.posting === 'intended' ? { ...finding, posting: 'posted' as const } : finding,
  );
}

/** Makes the comment with the summary current; returns true if it was not. */
async function rewriteSummary(
  ctx: PostContext,
  { source, ref }: Target,
  { review, plan: { summaryId }, discussion }: Post & { discussion: Discussion },
): Promise<boolean> {
  if (review.comment_id !== summaryId)
    await ctx.db.transaction((trx) =>
      updateReview(trx, review.id, { comment_id: summaryId, updated_at: ctx.clock.now() }),
    );
  const body = summaryText(review, await readAllFindings(ctx.db.kysely, review.change_request_id));
  const known = [...discussion.reviews, ...discussion.comments].find(({ id }) => id === summaryId);
  // Hosts may change white space.
  if (known?.body.replaceAll(/\s+/g, ' ').trim() === body.replaceAll(/\s+/g, ' ').trim()) return false;
  await source.updateComment?.(ref, review.number, summaryId, body);
  return source.updateComment !== undefined;
}
