import { conflictPaths } from '../../git/merge-tree.ts';
import type { MirroredReads } from './mirrored.ts';
import { Refusal, type SourceControl } from './port.ts';

type Functions = Pick<SourceControl, 'changeRequest' | 'mergeChangeRequest'>;

/** Merges with a host that does not say which files conflict: the mirror does. */
export function namingConflicts(
  { changeRequest, mergeChangeRequest }: Functions,
  { wouldMerge, withGitDirectory }: MirroredReads,
): SourceControl['mergeChangeRequest'] {
  return async (repository, number, input) => {
    try {
      return await mergeChangeRequest(repository, number, input);
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== 'merge_conflict' || error.paths.length > 0) throw error;
      const baseRef = (await changeRequest(repository, number))?.baseRef ?? '';
      // It brings both commits to the mirror.
      if (await wouldMerge(repository, baseRef, input.headSha)) throw error;
      const paths = await withGitDirectory(repository, `refs/heads/${baseRef}`, (directory, base) =>
        conflictPaths(directory, base, input.headSha),
      );
      throw new Refusal(error.reason, error.message, paths);
    }
  };
}
