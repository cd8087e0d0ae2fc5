import type { Diff } from '../../../git/diff.ts';
import type { Checkout } from '../workspace/checkout-set.ts';

/** Changes of a commit that were read, and need not be read again. */
export interface ReadChanges {
  commit: string;
  /** See `rawChanges`. */
  records: Buffer;
  /** Contents by id, of small files. */
  contents: ReadonlyMap<string, Buffer>;
}

/** The newest state of one repository's work tree. */
export interface RepositoryChange {
  readonly checkout: Checkout;
  /** The base commit, or the newest commit of this or an earlier attempt. */
  commit: string;
  /** `''` for the base commit's tree. */
  tree: string;
  /** Parent of the next commit: the last delivered commit, or the base, whose tree is given as `''`. */
  parent: { commit: string; tree: string };
  /** Diff of the newest recorded checkpoint against the base. */
  diff: Diff;
  /** Changes that were read for a checkpoint, of its commit. */
  read?: ReadChanges | undefined;
  /** Commit up to which the log has file events: the newest recorded checkpoint's, or the base. */
  logged: string;
  /** A lost attempt pushed the commit before the turn ended. */
  isHalfDelivered: boolean;
  /** Files of the work tree that the newest snapshot leaves out: too large, with a name that git refuses, or unreadable. */
  leftOut: readonly string[];
  /** Bytes copied out of the sandbox that no recorded checkpoint holds. */
  newBytes: number;
}

/** True if there may be something to deliver; {@link isChanged} is exact once the checkpoint is recorded. */
export function mayHaveChanged({ commit, parent, isHalfDelivered }: RepositoryChange): boolean {
  return isHalfDelivered || commit !== parent.commit;
}

/** True if there is something to deliver. */
export function isChanged({ checkout, commit, tree, parent, diff, isHalfDelivered }: RepositoryChange): boolean {
  if (isHalfDelivered) return true;
  if (commit === parent.commit || tree === parent.tree) return false;
  return parent.commit !== checkout.baseCommit || diff.files.length > 0;
}
