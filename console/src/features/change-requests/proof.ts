import type { Schemas } from '../../lib/api.ts';
import type { StateWord } from '../sessions/state.ts';

export type Evidence = Schemas['ChangeRequest']['evidence'][number];

/** What the check says about a change. */
export interface Proof extends StateWord {
  /** The check before the change and after it; undefined where it did not run. */
  before: Evidence | undefined;
  after: Evidence | undefined;
}

/** Reads the evidence, which has the check before the change, then after it. Only a check that failed and passes is `ok`. */
export function proofOf(evidence: readonly Evidence[]): Proof {
  const runs = evidence.filter(({ kind }) => kind === 'command');
  const after = runs.at(-1);
  const before = runs.length > 1 ? runs.at(-2) : undefined;
  const is = { before, after };
  if (after === undefined || !hasRun(after)) return { ...is, word: 'Unchecked', tone: 'plain' };
  if (after.exit_code !== 0) return { ...is, word: 'Check fails', tone: 'bad' };
  const hasFailed = before !== undefined && hasRun(before) && before.exit_code !== 0;
  if (hasFailed && before.command === after.command) return { ...is, word: 'Verified', tone: 'ok' };
  return { ...is, word: 'Check passes', tone: 'plain' };
}

function hasRun({ exit_code: exit, problem }: Evidence): boolean {
  return exit !== null && problem === undefined;
}
