import type { Policy } from '../schemas.ts';
import { enter, knownHead } from './enter.ts';
import { judge, type Verdict } from './checks.ts';
import { limitOn, undoneBy } from './limits.ts';
import { keepsAutoMerge, letMerge } from './merge.ts';
import { hear, hasOpenThread, heldBy, holdLabel, isHeld, reviewStateOf, turnedOff, type Talk } from './talk.ts';
import { sayOnce, takeOver } from './say.ts';
import { settleRound } from './settle.ts';
import { readable } from './unread.ts';
import type { Decision, Draft, Facts, Round, RoundKind, Row } from './types.ts';

/** A change must have been still for so long before a round begins, in milliseconds. */
const quietMs = 60_000;
/** Without an event, a change request is looked at again after so long, in milliseconds. */
const restMs = 10 * 60_000;
/** Handled comments that are remembered; hosts list at most 1,000 of each kind. */
const mostSeen = 4_000;
const mostMended = 100;

type Outcome = Pick<Row, 'state' | 'reason'>;

/**
 * Decides what to do for a change request, from what the host says now: nothing depends on which events arrived. A row that
 * ended stays as it is.
 */
export function decide(policy: Policy, known: Row, facts: Facts): Decision {
  if (known.state === 'ended') return { row: known, actions: [], lookAt: null };
  const before = readable(known);
  const { state } = facts.change;
  const draft = enter(policy, before, facts, facts.now + restMs);
  const outcome = state === 'open' ? decideOpen(draft) : endWith(draft, state);
  const { memory, actions, lookAt } = draft;
  // First of all, so that nothing that the host may still merge changes meanwhile.
  if (state === 'open' && !keepsAutoMerge(draft))
    actions.unshift({ key: `auto-merge-off:${facts.autoMerge.offs}`, type: 'auto_merge_off' });
  memory.neededPerson ||= outcome.state === 'needs_person';
  const headSha = knownHead(before, facts);
  const row = { ...outcome, headSha, memory: { ...memory, seen: memory.seen.slice(-mostSeen) } };
  const isOver = outcome.state === 'ended' || (outcome.state === 'paused' && !isHeld(outcome));
  return { row, actions, lookAt: isOver ? null : lookAt };
}

function endWith({ memory, actions }: Draft, outcome: 'merged' | 'closed'): Outcome {
  memory.round = null;
  actions.push({ key: 'finish', type: 'finish', outcome });
  return { state: 'ended', reason: outcome === 'merged' ? 'It was merged.' : 'It was closed.' };
}

function decideOpen(draft: Draft): Outcome {
  const { policy, before, facts, memory } = draft;
  const heard = hear(policy, facts, memory);
  memory.seen = [...memory.seen, ...heard.ignored];
  const settled = settleRound(draft);
  if (settled?.state === 'working') return settled;
  const paused = pausedBy(draft, heard.command);
  if (paused !== undefined) return paused;
  if (settled !== undefined) return settled;
  if (policy.mode === 'off') return { state: 'paused', reason: 'The policy of the repository is off.' };
  const verdict = judge(facts, memory);
  const { next } = heard;
  if (before.state === 'needs_person' && staysStuck(draft, verdict, next)) return { ...before };
  return act(draft, verdict, next);
}

/** Pauses or continues by label, by comment, and after others took the branch over. */
function pausedBy(draft: Draft, command: 'on' | 'off' | undefined): Outcome | undefined {
  const { before, facts, memory } = draft;
  if (facts.discussion?.labels.includes(holdLabel) === true) return { state: 'paused', reason: heldBy };
  if (command === 'off') return { state: 'paused', reason: turnedOff };
  if (before.state === 'paused') {
    const continues = command === 'on' || before.reason === heldBy || before.reason.startsWith('The policy');
    if (!continues) return { state: 'paused', reason: before.reason };
    memory.foreign = 0;
  }
  if (memory.foreign >= 2)
    return { state: 'paused', reason: 'Others pushed twice in a row without a comment, so the branch is theirs.' };
  return undefined;
}

/** True while nothing changed that could help one that waits for a person. */
function staysStuck({ before, facts }: Draft, verdict: Verdict, next: Talk | undefined): boolean {
  const isWell = verdict.type === 'green' && facts.change.mergeable !== false;
  return before.headSha === facts.change.headSha && next === undefined && !isWell;
}

/** Does the one next thing: people's words first, then conflicts, then checks, then the merge. */
function act(draft: Draft, verdict: Verdict, next: Talk | undefined): Outcome {
  const { policy, facts, memory } = draft;
  const { change } = facts;
  if (verdict.type === 'green' && memory.redAt !== null)
    memory.mended = [...memory.mended, facts.now - memory.redAt].slice(-mostMended);
  if (verdict.type !== 'red' && verdict.type !== 'wait') memory.redAt = null;
  if (next !== undefined) return begin(draft, next.kind, next, []);
  if (change.mergeable === false && policy.update !== 'never') return begin(draft, 'conflict', undefined, []);
  switch (verdict.type) {
    case 'wait':
      draft.mayAutoMerge = true;
      if (verdict.until !== null) draft.lookAt = Math.min(draft.lookAt, verdict.until);
      return { state: 'watching', reason: '' };
    case 'silent':
      sayOnce(draft, `silent:${change.headSha}`, silentText);
      return { state: 'watching', reason: '' };
    case 'base_red':
      sayOnce(draft, `base:${verdict.names.join(' ').slice(0, 500)}`, baseText(verdict.names));
      return { state: 'watching', reason: '' };
    case 'rerun':
      return rerun(draft, verdict.checkIds);
    case 'red':
      return fixChecks(draft, verdict);
    case 'green':
      return settleGreen(draft);
  }
}

const silentText =
  'No check has started for the newest commit in 10 minutes, although earlier commits have checks. The platform may lack the permission to start them; start them by hand.';

function baseText(names: readonly string[]): string {
  return `These checks fail on the base branch too, so this change request waits for it: ${names.map((name) => `\`${name.replaceAll('`', "'")}\``).join(', ')}.`;
}

function rerun({ facts, memory, actions }: Draft, checkIds: readonly string[]): Outcome {
  memory.rerunHead = facts.change.headSha;
  memory.reruns += checkIds.length;
  actions.push({ key: `rerun:${facts.change.headSha}`, type: 'rerun', checkIds });
  return { state: 'watching', reason: '' };
}

function fixChecks(draft: Draft, verdict: Extract<Verdict, { type: 'red' }>): Outcome {
  const { facts, memory } = draft;
  memory.redAt ??= facts.now;
  const again = verdict.fingerprints.find((fingerprint) => memory.fingerprints.includes(fingerprint));
  if (again !== undefined)
    return { state: 'needs_person', reason: `The same failure is back after a fix: ${again.slice(0, 300)}` };
  const outcome = begin(
    draft,
    'ci',
    undefined,
    verdict.failing.map(({ id }) => id),
  );
  if (outcome.state === 'working') memory.fingerprints = verdict.fingerprints;
  return outcome;
}

function settleGreen(draft: Draft): Outcome {
  const { facts, memory } = draft;
  if (memory.fingerprints.length > 0) memory.fixed += 1;
  memory.fingerprints = [];
  const { change, session } = facts;
  // The head is well, but lacks what the session was asked, in a round or by a person's message.
  const undone = undoneBy(session);
  if (undone !== '') return { state: 'needs_person', reason: undone };
  const isAsked = reviewStateOf(facts) === 'changes_requested' || session.state === 'busy';
  const waits = change.isDraft || change.mergeable === false || isAsked || hasOpenThread(facts);
  draft.mayAutoMerge = !waits && !change.isBehind;
  if (waits || change.mergeable !== true) return { state: 'watching', reason: '' };
  if (change.isBehind) return settleBehind(draft);
  letMerge(draft);
  return { state: 'ready', reason: '' };
}

/** The host refuses to merge until the base branch is merged in. */
function settleBehind(draft: Draft): Outcome {
  const { mode, update } = draft.policy;
  const reason = 'The git host merges it only with the newest commit of the base branch.';
  if (mode === 'notify' || update !== 'behind') return { state: 'needs_person', reason };
  return begin(draft, 'conflict', undefined, []);
}

/** Begins a round of the session, unless a limit is reached, the change is not still yet, or the session cannot. */
function begin(draft: Draft, kind: RoundKind, talk: Talk | undefined, checks: readonly string[]): Outcome {
  const { policy, facts, memory, actions } = draft;
  if (policy.mode === 'notify') return { state: 'needs_person', reason: reasonOf[kind] };
  const problem = limitOn(draft, kind);
  if (problem !== '') {
    // Whoever asked would wait for an answer; once for each limit, however often they ask.
    if (talk?.isPersons === true) sayOnce(draft, `limit:${problem}`, `${notTaken} ${problem} ${takeOver}`);
    return { state: 'needs_person', reason: problem };
  }
  const quietAt = memory.changedAt + quietMs;
  if (facts.now < quietAt) {
    draft.lookAt = Math.min(draft.lookAt, quietAt);
    return { state: 'watching', reason: '' };
  }
  // A turn of somebody else comes first.
  if (facts.session.state === 'busy') return { state: 'watching', reason: '' };
  memory.rounds += 1;
  if (kind === 'ci') memory.ciRounds += 1;
  else if (kind === 'conflict') memory.conflictRounds += 1;
  else memory.reviewRounds += 1;
  if (talk !== undefined) {
    memory.seen = [...memory.seen, ...talk.ids];
    memory.foreign = 0;
  }
  const { headSha } = facts.change;
  const questions = talk?.questions ?? [];
  const { isPersons = false } = talk ?? {};
  const round: Round = { key: `round:${memory.rounds}`, kind, headSha, at: facts.now, questions, isPersons };
  memory.round = round;
  actions.push({ key: round.key, type: 'message', round, checks, ids: talk?.ids ?? [] });
  return { state: 'working', reason: '' };
}

const notTaken = 'No session works on what was asked last.';

const reasonOf: Readonly<Record<RoundKind, string>> = {
  ci: 'Checks fail.',
  review: 'A review asks for changes.',
  comment: 'Someone commented.',
  conflict: 'It conflicts with the base branch.',
  push: 'Someone pushed to the branch.',
};
