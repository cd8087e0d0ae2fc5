import {
  isSaidSince,
  type HostComment,
  type HostReview,
  type HostThread,
} from '../../../adapters/source-control/collaboration.ts';
import type { Policy } from '../schemas.ts';
import { commandNames } from './names.ts';
import type { Facts, Memory, Question, Row } from './types.ts';

/** Hidden in each comment that the platform posts, with the key of its action. */
export const marker = '<!-- guildhall:';
/** The label that pauses. */
export const holdLabel = 'guildhall:hold';

/** The reasons of a pause that may be taken back at the host. */
export const heldBy = `The label ${holdLabel} is set.`;
export const turnedOff = 'A comment turned it off.';

export function isHeld({ reason }: Pick<Row, 'reason'>): boolean {
  return reason === heldBy || reason === turnedOff;
}

/** The words of one author that a session should work on. */
export interface Talk {
  readonly kind: 'review' | 'comment';
  /** All that is handled by this. */
  readonly ids: readonly string[];
  readonly questions: readonly Question[];
  readonly isPersons: boolean;
}

type Said = HostComment & { readonly thread?: HostThread; readonly review?: HostReview };

/** The words of people and programs that were not handled yet. */
export interface Heard {
  /** The first one to work on. */
  readonly next: Talk | undefined;
  /** Ids of what needs nothing: own comments, those of others who may not steer, approvals without words. */
  readonly ignored: readonly string[];
  readonly command: 'on' | 'off' | undefined;
}

/** Sorts what was said since the last look. */
export function hear(policy: Policy, facts: Facts, { seen, since }: Memory): Heard {
  const known = new Set(seen);
  const fresh = listSaid(facts).filter((said) => !known.has(said.id) && isSaidSince(said, since));
  const ignored: string[] = [];
  const steering: Said[] = [];
  let command: Heard['command'];
  for (const said of fresh) {
    const given = maySteer(policy, facts, said) ? commandIn(facts, said.body) : undefined;
    if (given === 'on' || given === 'off') command = given;
    if (given !== undefined || !maySteer(policy, facts, said) || needsNothing(said)) ignored.push(said.id);
    else steering.push(said);
  }
  return { next: firstTalk(steering), ignored, command };
}

/** Lists comments, reviews and comments on lines; ids of the kinds differ. */
function listSaid({ discussion }: Facts): Said[] {
  if (discussion === undefined) return [];
  const { comments, reviews, threads } = discussion;
  return [
    ...comments.map((comment) => ({ ...comment, id: `comment ${comment.id}` })),
    ...reviews.map((review) => ({ ...review, id: `review ${review.id}`, review })),
    ...threads
      .filter(({ isResolved }) => !isResolved)
      .flatMap((thread) => thread.comments.map((comment) => ({ ...comment, id: `line ${comment.id}`, thread }))),
  ].toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

/** People with write access and listed programs may steer; the platform itself never. */
function maySteer(policy: Policy, facts: Facts, { author, body }: HostComment): boolean {
  if (isOwn(facts, { author, body })) return false;
  if (policy.trusted_bots.includes(author.login)) return true;
  const permission = facts.permissions[author.login] ?? 'none';
  return !author.isBot && (permission === 'write' || permission === 'admin');
}

function isOwn({ botLogin }: Pick<Facts, 'botLogin'>, { author, body }: Pick<HostComment, 'author' | 'body'>): boolean {
  return body.includes(marker) || (botLogin !== '' && author.login === botLogin);
}

function commandIn({ botLogin }: Facts, body: string): 'on' | 'off' | 'approve' | undefined {
  const [first = '', second = '', ...rest] = body.trim().split(/\s+/, 3);
  const isCalled = commandNames(botLogin).some((name) => first.toLowerCase() === `@${name}`);
  if (!isCalled || rest.length > 0) return undefined;
  return second === 'on' || second === 'off' || second === 'approve' ? second : undefined;
}

/** A review without words whose comments on lines speak for themselves, or that approves. */
function needsNothing({ review, body }: Said): boolean {
  return review !== undefined && (review.state === 'approved' || review.state === 'dismissed' || body.trim() === '');
}

/** Returns one submitted review with its comments, or all comments of the author who spoke first. */
function firstTalk(steering: readonly Said[]): Talk | undefined {
  const [first] = steering;
  if (first === undefined) return undefined;
  const reviewId = first.review?.id ?? first.thread?.reviewId ?? '';
  const together = steering.filter((said) =>
    reviewId === ''
      ? said.author.login === first.author.login && said.review === undefined && (said.thread?.reviewId ?? '') === ''
      : said.review?.id === reviewId || said.thread?.reviewId === reviewId,
  );
  return {
    kind: reviewId === '' ? 'comment' : 'review',
    ids: together.map(({ id }) => id),
    questions: questionsOf(together),
    isPersons: !first.author.isBot,
  };
}

/** Returns a question for each thread, and one for each comment on the whole. */
function questionsOf(together: readonly Said[]): Question[] {
  const questions = new Map<string, Question>();
  for (const { id, thread } of together) {
    const isBots = thread?.comments[0]?.author.isBot ?? false;
    questions.set(thread === undefined ? id : `thread ${thread.id}`, { id, threadId: thread?.id ?? '', isBots });
  }
  return [...questions.values()];
}

/** Returns what the newest review of each person says together. */
export function reviewStateOf(facts: Facts): '' | 'approved' | 'changes_requested' | 'commented' {
  const latest = latestReviews(facts).map(({ state }) => state);
  if (latest.includes('changes_requested')) return 'changes_requested';
  if (latest.includes('approved')) return 'approved';
  return latest.length > 0 ? 'commented' : '';
}

function latestReviews(facts: Facts): HostReview[] {
  const latest = new Map<string, HostReview>();
  for (const review of facts.discussion?.reviews ?? []) {
    if (isOwn(facts, review)) continue;
    const known = latest.get(review.author.login);
    // A comment does not take an approval back.
    if (known !== undefined && review.state === 'commented') continue;
    latest.set(review.author.login, review);
  }
  return [...latest.values()].filter(({ state }) => state !== 'dismissed');
}

/** True if someone other than the requester and the platform approved this head: by a review, or by a comment since. */
export function isApproved(facts: Facts, { headAt }: Pick<Memory, 'headAt'>): boolean {
  const { requester, permissions, change, discussion } = facts;
  const mayApprove = ({ author }: HostComment): boolean =>
    !author.isBot && author.login !== requester && ['write', 'admin'].includes(permissions[author.login] ?? 'none');
  const isFresh = ({ createdAt }: HostComment): boolean => createdAt.getTime() >= headAt;
  const comments = (discussion?.comments ?? []).filter((comment) => mayApprove(comment) && isFresh(comment));
  return (
    comments.some(({ body }) => commandIn(facts, body) === 'approve') ||
    latestReviews(facts).some(
      (review) => review.state === 'approved' && review.headSha === change.headSha && mayApprove(review),
    )
  );
}

/** True if a person's thread is open. */
export function hasOpenThread({ discussion }: Facts): boolean {
  return (discussion?.threads ?? []).some(
    ({ isResolved, comments: [first] }) =>
      !isResolved && first !== undefined && !first.author.isBot && !first.body.includes(marker),
  );
}
