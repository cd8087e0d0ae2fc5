import type { Policy } from '../schemas.ts';
import { resetOnce } from './enter.ts';
import { undoneBy } from './limits.ts';
import { endingOf, sayUnanswered } from './say.ts';
import type { Draft, Question, Round, Row } from './types.ts';

type Outcome = Pick<Row, 'state' | 'reason'>;

/** Ends the round of a session that is done with it. Undefined if nothing stands in the way of the next step. */
export function settleRound(draft: Draft): Outcome | undefined {
  const { facts, memory } = draft;
  const { round } = memory;
  if (round === null) return undefined;
  const { session } = facts;
  if (session.hasBudget && session.state === 'busy') return { state: 'working', reason: '' };
  const undone = undoneBy(session);
  // A round goes on once the session has its answer, or its budget.
  if (session.hasBudget && session.state !== 'waiting') memory.round = null;
  // One that waits is answered in time.
  const isOver = !session.hasBudget || !['idle', 'waiting'].includes(session.state);
  if (isOver) sayUnanswered(draft, round, ...endingOf(session));
  if (undone !== '') return stuck(undone);
  if (session.state !== 'idle') return stuck(`Its session was ${session.state === 'gone' ? 'deleted' : 'canceled'}.`);
  return settle(draft, round);
}

function settle({ policy, facts, memory, actions }: Draft, round: Round): Outcome | undefined {
  const { headSha } = facts.change;
  const isPushed = headSha !== round.headSha && headSha === facts.session.pushedSha;
  if (facts.weakened.length > 0)
    return stuck(`The fix changes what it is judged by: ${facts.weakened.slice(0, 5).join(', ').slice(0, 500)}`);
  if (round.kind === 'ci' && !isPushed && headSha === round.headSha)
    return stuck('Its session changed nothing, and the checks still fail.');
  if (round.kind === 'conflict') {
    if (!isPushed && facts.change.mergeable === false) return stuck('Its session did not resolve the conflict.');
    memory.fixed += 1;
  }
  if (round.questions.length === 0) return undefined;
  const { questions } = round;
  if (round.kind === 'review' && questions.some(({ isBots }) => !isBots)) resetOnce(memory);
  memory.fixed += 1;
  const commit = isPushed ? headSha : '';
  const resolve = commit === '' ? [] : questions.filter((question) => mayResolve(policy, question)).map(threadOf);
  actions.push({
    key: `answer:${round.key}`,
    type: 'answer',
    roundKey: round.key,
    questions,
    commit,
    resolve,
  });
  return undefined;
}

/** Only threads that were answered with a commit are resolved; a person's thread stays theirs by default. */
function mayResolve({ resolve_threads }: Policy, { threadId, isBots }: Question): boolean {
  return threadId !== '' && (resolve_threads === 'all' || (resolve_threads === 'bots' && isBots));
}

function threadOf({ threadId }: Question): string {
  return threadId;
}

function stuck(reason: string): Outcome {
  return { state: 'needs_person', reason };
}
