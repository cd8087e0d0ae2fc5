import { isObjectId, requireBranchName } from '../../../git/names.ts';
import { changedLines } from '../../../git/changed-lines.ts';
import { AppError, ProviderError } from '../../../lib/errors.ts';
import type { Diff } from '../../../git/diff.ts';
import type { Collaboration, HostThread } from '../collaboration.ts';
import type { HostedRepository } from '../git-host.ts';
import type { HostedCollaboration, HostedThread } from '../hosted-collaboration.ts';
import type { RepositoryRef } from '../port.ts';

interface Parts {
  readonly collaboration: HostedCollaboration;
  readonly hosted: (repository: RepositoryRef) => HostedRepository;
  /** Returns the head commit of a change request; `''` if there is none. */
  readonly headOf: (repository: RepositoryRef, number: number) => Promise<string>;
}

/** Commits that a discussion is compared with; threads of others count as outdated. */
const maxCompared = 20;

/** Members of the built-in host to follow and review change requests. Its automatic merge is up to who follows them. */
export function collaborationFunctions({ collaboration, hosted, headOf }: Parts): Partial<Collaboration> {
  const { checks, setStatus, reply, resolveThread, updateComment, acknowledge, permissionOf, changedChangeRequests } =
    collaboration;
  return {
    checks,
    setStatus,
    reply,
    resolveThread,
    updateComment,
    acknowledge,
    permissionOf,
    changedChangeRequests,
    async discussion(repository, number) {
      const { comments, reviews, threads } = await collaboration.discussion(repository, number);
      const headSha = threads.length === 0 ? '' : await headOf(repository, number);
      return { comments, reviews, threads: await compared(hosted(repository), threads, headSha), labels: [] };
    },
    async submitReview(repository, number, review) {
      return { ...(await collaboration.submitReview(repository, number, review)), url: '' };
    },
    async deleteBranch(repository, branch) {
      const there = hosted(repository);
      if ((await there.defaultBranch()) === branch)
        throw new ProviderError(`${branch} is the default branch. Choose another one, then delete it.`, {
          retryable: false,
        });
      const commit = await there.deleteBranch(requireBranchName(branch));
      if (commit !== undefined) await collaboration.branchDeleted(repository, branch, commit);
    },
  };
}

/** Finds the threads whose lines changed since. */
async function compared(
  repository: HostedRepository,
  threads: readonly HostedThread[],
  headSha: string,
): Promise<HostThread[]> {
  const since = new Set(threads.filter(isComparable).map((thread) => thread.headSha));
  since.delete(headSha);
  const diffs = new Map<string, Diff | undefined>();
  for (const commit of [...since].slice(-maxCompared)) diffs.set(commit, await diffOf(repository, commit, headSha));
  return threads.map((thread) => {
    const { startLine, headSha: writtenOn, ...shown } = thread;
    const isOutdated =
      isComparable(thread) && writtenOn !== headSha && isChanged(diffs.get(writtenOn), thread, startLine);
    return { ...shown, isOutdated };
  });
}

/** Lines of the base do not change, and neither does a whole file. */
function isComparable({ side, line, headSha }: HostedThread): boolean {
  return side === 'new' && line !== null && isObjectId(headSha);
}

function isChanged(diff: Diff | undefined, { path, line }: HostedThread, startLine: number | null): boolean {
  return diff === undefined || line === null || changedLines(diff.files, path, startLine ?? line, line);
}

/** Returns undefined if a commit is gone. */
async function diffOf(repository: HostedRepository, base: string, head: string): Promise<Diff | undefined> {
  try {
    return await repository.diff(base, head);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
