import type { Policy } from '../schemas.ts';
import type { Draft, Facts, Memory, Row } from './types.ts';

/** Begins a decision: notes a new head and whose it is, which checks passed on it, and when anything changed. */
export function enter(policy: Policy, before: Row, facts: Facts, lookAt: number): Draft {
  const memory: Memory = { ...before.memory };
  const draft: Draft = { policy, before, facts, memory, actions: [], mayAutoMerge: false, lookAt };
  if (knownHead(before, facts) !== before.headSha) noteHead(memory, before, facts);
  memory.hadChecks ||= (facts.checks ?? []).length > 0;
  const passed = (facts.checks ?? []).filter(({ state }) => state === 'success').map(({ name }) => name);
  memory.passed = [...new Set([...memory.passed, ...passed])].slice(-1_000);
  const digest = digestOf(facts);
  if (digest !== memory.digest) {
    memory.digest = digest;
    memory.changedAt = facts.now;
  }
  return draft;
}

/**
 * Returns the newest head whose author is known. Hosts tell of a push before the session that pushed records it, so a new head
 * is nobody's until its turn is over.
 */
export function knownHead({ headSha }: Pick<Row, 'headSha'>, { change, session }: Facts): string {
  return session.state === 'busy' && headSha !== '' ? headSha : change.headSha;
}

function noteHead(memory: Memory, before: Row, { change, session, now }: Facts): void {
  memory.headAt = now;
  memory.passed = [];
  if (before.headSha === '') return;
  if (change.headSha === session.pushedSha) {
    memory.pushes += 1;
    memory.foreign = 0;
    return;
  }
  memory.foreign += 1;
  memory.humanCommits += 1;
  // What failed before is not the session's any more.
  memory.fingerprints = [];
  resetOnce(memory);
}

/** A person's commit or review resets the limit on rounds for checks once. */
export function resetOnce(memory: Memory): void {
  if (memory.wasReset || memory.ciRounds === 0) return;
  memory.ciRounds = 0;
  memory.wasReset = true;
}

/** Returns a text that changes with everything that a round must wait for. */
function digestOf({ change, checks = [], discussion }: Facts): string {
  const said = discussion?.comments.length ?? 0;
  const reviewed = discussion?.reviews.length ?? 0;
  const lines = (discussion?.threads ?? []).reduce((count, { comments }) => count + comments.length, 0);
  const states = checks.map(({ id, state }) => `${id}=${state}`).toSorted();
  return [change.headSha, change.mergeable, said, reviewed, lines, ...states].join(' ').slice(0, 20_000);
}
