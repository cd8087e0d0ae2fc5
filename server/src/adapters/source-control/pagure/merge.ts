import { git } from '../../../git/native.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { MirroredReads } from '../mirrored.ts';
import { Refusal, type MergeChangeRequest, type RepositoryRef } from '../port.ts';
import { isWithinProject } from './pull-request.ts';
import { notOpen, type PullRequests } from './pull-requests.ts';
import type { PullRequest } from './shapes.ts';

/** The number of commits of a branch that are searched for a merge. */
const maxCommits = 2_000;

/**
 * Merges an open pull request. Pagure takes what the branches are when it merges, and by the project's settings makes a merge
 * commit or moves the branch forward. Its message and author are Pagure's.
 */
export async function mergePullRequest(
  pulls: PullRequests,
  reads: MirroredReads,
  repository: RepositoryRef,
  pull: PullRequest,
  { method, headSha }: MergeChangeRequest,
): Promise<void> {
  if (method === 'squash')
    throw new ProviderError('Pagure cannot squash commits. Merge with the method merge.', { retryable: false });
  await requireBranches(reads, repository, pull, headSha);
  await pulls.merge(repository, pull.id);
  const after = await pulls.require(repository, pull.id);
  if (after.status === 'Merged') return;
  if (after.status === 'Closed') throw notOpen(after);
  // Pagure does not say why.
  if (await reads.wouldMerge(repository, pull.branch, headSha))
    throw new ProviderError(
      `Pagure did not merge change request ${pull.id}, although nothing conflicts. Its page says what the project requires.`,
      { retryable: false },
    );
  throw new Refusal('merge_conflict', `Change request ${pull.id} conflicts with ${JSON.stringify(pull.branch)}.`);
}

async function requireBranches(reads: MirroredReads, repository: RepositoryRef, pull: PullRequest, headSha: string) {
  const { branch, branch_from } = pull;
  const missing = (name: string) =>
    new Refusal('branch_missing', `The branch ${JSON.stringify(name)} no longer exists.`);
  if ((await reads.branchHead(repository, branch)) === undefined) throw missing(branch);
  const tip = isWithinProject(pull) ? await reads.branchHead(repository, branch_from) : pull.commit_stop;
  if (tip === undefined || tip === null) throw missing(branch_from);
  if (tip !== headSha)
    throw new Refusal('branch_moved', `The branch ${JSON.stringify(branch_from)} is at ${tip} and not at ${headSha}.`);
}

/**
 * Finds the commit by which a branch got a merged pull request: a merge commit, or the head itself after a fast-forward. The
 * head if neither is found, for example because the branch was rewritten since.
 */
export async function mergeCommit(
  reads: MirroredReads,
  repository: RepositoryRef,
  { branch, commit_stop }: PullRequest,
): Promise<string> {
  const head = commit_stop ?? '';
  const tip = await reads.branchHead(repository, branch);
  if (tip === undefined) return head;
  const found = await reads.withGitDirectory(repository, tip, async (gitDir, commit) => {
    const args = ['rev-list', '--first-parent', '--parents', `--max-count=${maxCommits}`, commit];
    const { stdout } = await git(args, { gitDir, timeoutMs: 20_000 });
    // Newest first; each line is a commit and its parents.
    const line = stdout.split('\n').findLast((one) => one.split(' ').includes(head));
    return line?.split(' ')[0];
  });
  return found ?? head;
}
