import type { Draft, RoundKind } from './types.ts';

/** Returns why no further round of a kind may begin; `''` if it may. */
export function limitOn({ policy, facts, memory }: Draft, kind: RoundKind): string {
  const { session, maxRounds, now } = facts;
  if (session.state === 'gone') return 'Its session was deleted.';
  if (session.state === 'canceled') return 'Its session was canceled.';
  if (session.state === 'waiting') return 'Its session waits for an answer or an approval.';
  if (!session.hasBudget) return 'The budget of its session is used up.';
  if (now >= memory.since + policy.hours * 3_600_000) return `It was followed for ${policy.hours} hours.`;
  if (memory.pushes >= policy.pushes) return `Its session pushed ${memory.pushes} times, the limit.`;
  if (maxRounds > 0 && memory.rounds >= maxRounds) return `The guardrail max_follow_rounds is reached: ${maxRounds}.`;
  if (kind === 'ci' && memory.ciRounds >= policy.ci_rounds) return reached('checks', policy.ci_rounds);
  if (kind === 'conflict' && memory.conflictRounds >= policy.conflict_rounds)
    return reached('conflicts', policy.conflict_rounds);
  if ((kind === 'review' || kind === 'comment') && memory.reviewRounds >= policy.review_rounds)
    return reached('reviews', policy.review_rounds);
  return '';
}

function reached(what: string, limit: number): string {
  return `The limit on rounds for ${what} is reached: ${limit}.`;
}
