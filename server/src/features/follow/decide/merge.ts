import { sumUp } from './checks.ts';
import { isApproved } from './talk.ts';
import type { Draft, Facts } from './types.ts';

/** Merges what is ready by the policy: the git host by its own rules, or the platform on the built-in host. */
export function letMerge({ policy, facts, memory, actions }: Draft): void {
  const { headSha } = facts.change;
  if (policy.auto_merge !== 'provider' || !isDone(facts)) return;
  if (facts.mergesItself) {
    if (facts.session.isVerified && sumUp(facts.checks).state === 'success' && isApproved(facts, memory))
      actions.push({ key: `merge:${headSha}`, type: 'merge', headSha });
    return;
  }
  const { sha, offs } = facts.autoMerge;
  if (sha !== headSha) actions.push({ key: `auto-merge:${headSha}:${offs}`, type: 'auto_merge', headSha });
}

/** The host merges by itself only the head that was judged, while its session is done and nothing speaks against it. */
export function keepsAutoMerge({ policy, facts, mayAutoMerge }: Draft): boolean {
  const { sha } = facts.autoMerge;
  if (sha === '') return true;
  return mayAutoMerge && policy.auto_merge === 'provider' && isDone(facts) && sha === facts.change.headSha;
}

/** Returns false for a session that works, waits or failed: the head lacks what it was asked for. */
function isDone({ session }: Facts): boolean {
  return session.state === 'idle';
}
