import type { Draft, RoundKind, SessionFacts } from './types.ts';

const noBudget = 'The budget of its session is used up.';
const asksPerson = 'Its session waits for an answer or an approval, or to be resumed.';

/** Returns why a session did not do what it was asked last; `''` if it did, works on it, or cannot any more. */
export function undoneBy({ state, hasBudget, blocked }: SessionFacts): string {
  if (!hasBudget) return noBudget;
  if (state === 'waiting') return asksPerson;
  if (state !== 'failed') return '';
  return blocked === '' ? 'Its session failed.' : blocked;
}

/** Returns why no further round of a kind may begin; `''` if it may. */
export function limitOn({ policy, facts, memory }: Draft, kind: RoundKind): string {
  const { session, maxRounds, now } = facts;
  if (session.state === 'gone') return 'Its session was deleted.';
  if (session.state === 'canceled') return 'Its session was canceled.';
  if (!session.hasBudget) return noBudget;
  if (session.state === 'waiting') return asksPerson;
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
