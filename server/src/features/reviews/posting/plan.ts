import type { Discussion, HostThread } from '../../../adapters/source-control/collaboration.ts';
import { isAsSevere } from '../output.ts';
import type { Policy } from '../schemas.ts';
import { hasMark, markOf } from './markers.ts';
import { readReply } from './replies.ts';
import { answerText, byRank, resolvedText, stillText, type StoredFinding } from './texts.ts';
import { threadsOf } from './threads.ts';

/** A discussion has at most so many of each. */
const listed = 1_000;

/** Chooses the findings that get a comment of their own, the most severe first. */
export function chooseComments(
  reviewId: string,
  policy: Pick<Policy, 'min_severity' | 'min_confidence' | 'max_comments' | 'muted_categories'>,
  findings: readonly StoredFinding[],
): StoredFinding[] {
  const { min_severity, min_confidence, max_comments, muted_categories } = policy;
  return findings
    .filter(({ status, review_id, posting }) => status === 'open' && review_id === reviewId && posting === '')
    .filter(({ in_diff, line, category }) => in_diff && line !== null && !muted_categories.includes(category))
    .filter(({ severity, confidence }) => isAsSevere(severity, min_severity) && confidence >= min_confidence)
    .toSorted(byRank)
    .slice(0, max_comments);
}

export interface PostedReview {
  id: string;
  verdict: string;
  head_sha: string;
  /** The comment with the summary; `''` if none is recorded. */
  comment_id: string;
  created_at: Date;
}

/** The rest to be said on a change request. Once it was carried out, the plan for the new discussion is empty. */
export interface Plan {
  /** Threads that are there although a crash kept them from being recorded. */
  found: { finding: StoredFinding; threadId: string }[];
  /** The comment with the summary; `''` if there is none. */
  summaryId: string;
  /** The comments of the review to submit. */
  comments: StoredFinding[];
  /** True if a review must be submitted, also without comments. */
  submits: boolean;
  replies: { finding: StoredFinding; threadId: string; body: string }[];
  resolves: { finding: StoredFinding; threadId: string }[];
}

/** Compares what is stored of a change request with what is said on it. `reviewIds` are all of its reviews. */
export function planPost(
  review: PostedReview,
  findings: readonly StoredFinding[],
  discussion: Discussion,
  { reviewIds, lastVerdict }: { reviewIds: ReadonlySet<string>; lastVerdict: string },
): Plan {
  const threads = threadsOf(findings, discussion);
  const said = [...discussion.reviews, ...discussion.comments].toSorted(
    (one, other) => one.createdAt.getTime() - other.createdAt.getTime(),
  );
  const ours = said.filter(({ body }) => {
    const mark = markOf(body);
    return mark?.mark === 'review' && reviewIds.has(mark.id);
  });
  // A person may have deleted it; a full list may lack it.
  const isThere = said.length >= listed || said.some(({ id }) => id === review.comment_id);
  const summaryId = isThere && review.comment_id !== '' ? review.comment_id : (ours[0]?.id ?? '');
  const comments = findings.filter(
    (finding) =>
      finding.posting === 'intended' &&
      finding.status === 'open' &&
      finding.review_id === review.id &&
      finding.in_diff &&
      !threads.has(finding.id),
  );
  const isSubmitted = ours.some(({ body }) => hasMark(body, 'review', review.id));
  const blocks = review.verdict === 'request_changes' && lastVerdict !== 'request_changes' && !isSubmitted;
  const plan: Plan = {
    found: [],
    summaryId,
    comments,
    submits: comments.length > 0 || summaryId === '' || blocks,
    replies: [],
    resolves: [],
  };
  for (const finding of findings) {
    const thread = threads.get(finding.id);
    if (thread === undefined) continue;
    if (finding.comment_id !== thread.id) plan.found.push({ finding, threadId: thread.id });
    addToThread(plan, review, finding, thread);
  }
  return plan;
}

function addToThread(plan: Plan, review: PostedReview, finding: StoredFinding, thread: HostThread): void {
  const threadId = thread.id;
  const isSaid = (mark: 'resolved' | 'still' | 'answer'): boolean =>
    thread.comments.some(({ body }) => hasMark(body, mark, finding.id));
  const isOpen = !thread.isResolved && !finding.thread_resolved;
  if (finding.status !== 'open') {
    if (!isOpen) return;
    if (finding.status === 'resolved' && !isSaid('resolved'))
      plan.replies.push({ finding, threadId, body: resolvedText(finding) });
    plan.resolves.push({ finding, threadId });
    return;
  }
  const others = thread.comments.slice(1).filter(({ body }) => markOf(body) === undefined);
  const isConfirmed = finding.review_id === review.id;
  // The claim must be older than the review that refutes it.
  const claims = others.filter(({ body, createdAt }) => readReply(body) === 'fixed' && createdAt <= review.created_at);
  if (isConfirmed && claims.length > 0 && !isSaid('still'))
    plan.replies.push({ finding, threadId, body: stillText(finding, review.head_sha) });
  if (others.some(({ body }) => readReply(body) === 'question') && !isSaid('answer'))
    plan.replies.push({ finding, threadId, body: answerText(finding) });
}
