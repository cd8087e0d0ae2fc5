/** The state of the branch at its host that the next turn begins on. */
export interface BranchStart {
  /** The branch's head, which may have commits of others. */
  commit: string;
  /** The head of the base branch that the turn merges; `''` for none. */
  merge: string;
  /** Checkpoints with a greater number are the turn's own. */
  seq: number;
}
