import { TooManyChanges } from '../../git/change-reader.ts';
import { ProviderError } from '../../lib/errors.ts';
import { ComparisonTooLarge, type RepositoryRef, type SourceControl } from './port.ts';
import type { RepositoryReader } from './reader.ts';

/** The members of the port that read git objects and branches. */
export type GitReads = Pick<SourceControl, 'findBranches' | 'resolve' | 'findPaths' | 'compare'> &
  Required<Pick<SourceControl, 'wouldMerge' | 'readTree' | 'withGitDirectory'>>;

/** The state of a repository that a read requires. */
export interface Wanted {
  /** Branches, tags or commits that are about to be read. Full commit ids never change, so a copy that has them is new enough. */
  readonly refs: readonly string[];
  /** True if branches must be as they are now, and not as they were a moment ago. */
  readonly isExact?: boolean;
}

/** Runs `read` on a repository that is new enough. The repository stays until `read` has ended. */
export type Reading = <T>(
  repository: RepositoryRef,
  wanted: Wanted,
  read: (reader: RepositoryReader) => Promise<T>,
) => Promise<T>;

/** Reads git objects and branches of any provider whose repositories, or mirrors of them, are on this machine. */
export function readsThrough(reading: Reading): GitReads {
  return {
    findBranches: (repository, options) => reading(repository, { refs: [] }, (reader) => reader.findBranches(options)),
    resolve: (repository, ref) => reading(repository, { refs: [ref] }, (reader) => reader.resolve(ref)),
    findPaths: (repository, commit, options) =>
      reading(repository, { refs: [commit] }, (reader) => reader.findPaths(commit, options)),
    compare: (repository, base, head) =>
      reading(repository, { refs: [base, head] }, (reader) => compare(reader, base, head)),
    wouldMerge: trialMerges(reading),
    readTree: (repository, ref, directories, maxEntries) =>
      reading(repository, { refs: [ref] }, async (reader) => {
        const commit = await reader.resolve(ref);
        return commit === undefined ? undefined : reader.tree(commit, directories, maxEntries);
      }),
    withGitDirectory: (repository, ref, read) =>
      reading(repository, { refs: [ref] }, async (reader) => {
        const commit = await reader.resolve(ref);
        return commit === undefined ? undefined : read(reader.directory, commit);
      }),
  };
}

async function compare(reader: RepositoryReader, base: string, head: string) {
  const to = await reader.resolve(head);
  if (to === undefined)
    throw new ProviderError(`The repository has no commit ${JSON.stringify(head)}.`, { retryable: false });
  const tip = await reader.resolve(base);
  const from = (tip === undefined ? undefined : await reader.mergeBase(tip, to)) ?? tip ?? to;
  return reader.diff(from, to).catch((error: unknown) => {
    throw error instanceof TooManyChanges ? new ComparisonTooLarge(error.message, from) : error;
  });
}

/** Caches trial merges: the outcome for two commits never changes. */
function trialMerges(reading: Reading): GitReads['wouldMerge'] {
  const outcomes = new Map<string, Promise<boolean>>();
  return (repository, baseRef, headSha) =>
    reading(repository, { refs: [baseRef, headSha], isExact: true }, async (reader) => {
      const base = await reader.resolve(baseRef);
      if (base === undefined) return false;
      const name = `${repository.id} ${base} ${headSha}`;
      const known = outcomes.get(name);
      if (known !== undefined) return known;
      const outcome = reader.mergeability(base, headSha).then((found) => found === 'clean');
      if (outcomes.size >= 10_000) outcomes.clear();
      outcomes.set(name, outcome);
      outcome.catch(() => outcomes.delete(name));
      return outcome;
    });
}
