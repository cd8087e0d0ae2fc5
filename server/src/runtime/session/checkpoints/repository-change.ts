import type { Diff } from '../../../git/diff.ts';
import type { Checkout } from '../workspace/checkout-set.ts';

/** The newest state of one repository's work tree. */
export interface RepositoryChange {
  readonly checkout: Checkout;
  /** Its commit: the base, one that an earlier attempt or turn made, or a new one. */
  commit: string;
  /** `''` is the base's. */
  tree: string;
  /** What the next commit follows: what was delivered last, or the base, whose tree is not asked for (`''`). */
  parent: { commit: string; tree: string };
  /** Against the base, of the newest recorded checkpoint. */
  diff: Diff;
  /** The commit whose changes the log tells of: of the newest recorded checkpoint, or the base. */
  told: string;
  /** An earlier run of the turn pushed it, and was lost before the turn was over. */
  isHalfDelivered: boolean;
  /** What came out of the sandbox and is in no recorded checkpoint. */
  newBytes: number;
}

/** Whether there may be something to deliver; {@link isChanged} knows when it is on record. */
export function mayHaveChanged({ commit, parent, isHalfDelivered }: RepositoryChange): boolean {
  return isHalfDelivered || commit !== parent.commit;
}

/** Whether there is something to deliver. */
export function isChanged({ checkout, commit, tree, parent, diff, isHalfDelivered }: RepositoryChange): boolean {
  if (isHalfDelivered) return true;
  if (commit === parent.commit || tree === parent.tree) return false;
  return parent.commit !== checkout.baseCommit || diff.files.length > 0;
}
