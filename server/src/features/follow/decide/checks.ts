import type { HostCheck } from '../../../adapters/source-control/collaboration.ts';
import type { Facts, Memory } from './types.ts';

/** The time without any check, or with a failed one while others run, in milliseconds. */
const patienceMs = 10 * 60_000;
/** The most runs of failed checks on suspicion. */
const maxReruns = 3;

export interface Checks {
  readonly state: 'none' | 'pending' | 'success' | 'failure';
  readonly failing: readonly HostCheck[];
}

/** Sums up the checks of a commit. */
export function sumUp(checks: readonly HostCheck[] = []): Checks {
  const failing = checks.filter(({ state }) => state === 'failure' || state === 'error');
  if (failing.length > 0) return { state: 'failure', failing };
  if (checks.some(({ state }) => state === 'pending')) return { state: 'pending', failing };
  return { state: checks.length === 0 ? 'none' : 'success', failing };
}

export type Verdict =
  | { readonly type: 'wait'; readonly until: number | null }
  | { readonly type: 'green' }
  /** No check appeared, although the base branch has some. */
  | { readonly type: 'silent' }
  /** What fails here fails on the base branch too. */
  | { readonly type: 'base_red'; readonly names: readonly string[] }
  | { readonly type: 'rerun'; readonly checkIds: readonly string[] }
  | { readonly type: 'red'; readonly failing: readonly HostCheck[]; readonly fingerprints: readonly string[] };

/** Judges the checks of the head: waits for them, and looks at the base branch and at unreliable ones first. */
export function judge(facts: Facts, memory: Memory): Verdict {
  const { checks, now } = facts;
  if (checks === undefined) return { type: 'green' };
  const { state, failing } = sumUp(checks);
  if (state === 'none') return judgeSilence(facts, memory);
  if (state === 'success') return { type: 'green' };
  if (state === 'pending') return { type: 'wait', until: null };
  const mayStillEnd = checks.some((check) => check.state === 'pending');
  const ended = Math.max(memory.headAt, ...failing.map(({ endedAt }) => endedAt?.getTime() ?? 0));
  const isRequired = failing.some((check) => check.isRequired !== false);
  if (mayStillEnd && !isRequired) return { type: 'wait', until: null };
  if (mayStillEnd && now < ended + patienceMs) return { type: 'wait', until: ended + patienceMs };
  return judgeFailures(facts, memory, failing);
}

function judgeSilence({ baseChecks = [], now }: Facts, { headAt, hadChecks }: Memory): Verdict {
  if (baseChecks.length === 0 && !hadChecks) return { type: 'green' };
  return now < headAt + patienceMs ? { type: 'wait', until: headAt + patienceMs } : { type: 'silent' };
}

function judgeFailures(facts: Facts, memory: Memory, failing: readonly HostCheck[]): Verdict {
  const redOnBase = new Set(sumUp(facts.baseChecks).failing.map(({ name }) => name));
  const own = failing.filter(({ name }) => !redOnBase.has(name));
  if (own.length === 0) return { type: 'base_red', names: failing.map(({ name }) => name) };
  const isUnreliable = own.every(({ state, name }) => state === 'error' || memory.passed.includes(name));
  const mayRerun = facts.canRerun && memory.rerunHead !== facts.change.headSha && memory.reruns < maxReruns;
  if (isUnreliable && mayRerun)
    return { type: 'rerun', checkIds: own.slice(0, maxReruns - memory.reruns).map(({ id }) => id) };
  const fingerprints = own.map(({ id, name }) => facts.fingerprints[id] ?? name);
  return { type: 'red', failing: own, fingerprints };
}
