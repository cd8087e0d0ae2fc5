import { Type } from 'typebox';
import { requireBranchName } from '../../../git/names.ts';
import type { Collaboration, HostPermission } from '../collaboration.ts';
import { autoMergeFunction, noAutoMergeFunction } from './auto-merge.ts';
import { checkFunctions } from './checks.ts';
import type { GithubClient } from './client.ts';
import { ChangedPulls, CollaboratorPermission } from './collaboration-answers.ts';
import { discussionFunction } from './discussion.ts';
import { GithubFailure } from './failures.ts';
import { issueFunctions } from './issues.ts';
import { listAll } from './pages.ts';
import { requireRepository } from './repositories.ts';
import { repositoryPath } from './repository-path.ts';
import { reviewFunctions } from './reviews.ts';

const maxChanged = 100;

/** Members that follow and review pull requests. */
export function collaborationFunctions(
  client: GithubClient,
  comment: Collaboration['commentOnIssue'],
): Partial<Collaboration> {
  return {
    ...checkFunctions(client),
    ...reviewFunctions(client),
    ...issueFunctions(client, comment),
    discussion: discussionFunction(client),
    enableAutoMerge: autoMergeFunction(client),
    disableAutoMerge: noAutoMergeFunction(client),
    permissionOf: permissionFunction(client),
    deleteBranch: deleteBranchFunction(client),
    changedChangeRequests: changedFunction(client),
  };
}

function permissionFunction(client: GithubClient): Collaboration['permissionOf'] {
  return async (ref, login) => {
    // Names of Apps end with [bot], and GitHub has no permission of theirs.
    if (!/^[\w-]{1,100}$/.test(login)) return 'none';
    const connection = await client.open(ref);
    const path = `${repositoryPath(ref.repo)}/collaborators/${login}/permission`;
    const call = { does: `read the permission of ${login}`, path, answer: CollaboratorPermission };
    try {
      return permissionOf((await client.call(connection, call)).data.permission);
    } catch (error) {
      if (!(error instanceof GithubFailure) || error.status !== 404) throw error;
      await requireRepository(client, connection, ref.repo);
      return 'none';
    }
  };
}

/** GitHub reports `maintain` as write, and `triage` as read. */
function permissionOf(permission: string): HostPermission {
  return permission === 'admin' || permission === 'write' || permission === 'read' ? permission : 'none';
}

function deleteBranchFunction(client: GithubClient): Collaboration['deleteBranch'] {
  return async (ref, branch) => {
    const connection = await client.open(ref);
    const { repo, defaultBranch } = await requireRepository(client, connection, ref.repo);
    if (branch === defaultBranch)
      throw new GithubFailure(`${branch} is the default branch. Choose another one there, then delete it.`, {
        retryable: false,
        status: 422,
      });
    const name = requireBranchName(branch).split('/').map(encodeURIComponent).join('/');
    const git = `${repositoryPath(repo)}/git`;
    const does = `delete ${branch}`;
    const answer = Type.Unknown();
    try {
      await client.call(connection, { does, method: 'DELETE', path: `${git}/refs/heads/${name}`, answer });
    } catch (error) {
      if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
      // GitHub refuses what it protects and what does not exist with the same status.
      const exists = await client.call(connection, { does, path: `${git}/ref/heads/${name}`, answer }).then(
        () => true,
        (reason: unknown) => !(reason instanceof GithubFailure) || reason.status !== 404,
      );
      if (exists) throw error;
    }
  };
}

/** Lists changed pull requests; of more than 1,000 changes at once, the oldest are missed. */
function changedFunction(client: GithubClient): Collaboration['changedChangeRequests'] {
  return async (ref, since) => {
    const connection = await client.open(ref);
    const call = {
      does: 'list changed pull requests',
      path: `${repositoryPath(ref.repo)}/pulls`,
      query: { state: 'all', sort: 'updated', direction: 'desc' },
      answer: ChangedPulls,
    };
    const isOld = (updated: string | undefined): boolean =>
      updated !== undefined && Date.parse(updated) <= since.getTime();
    const pages = await listAll(client, connection, call, (read) => isOld(read.at(-1)?.at(-1)?.updated_at));
    return pages
      .flat()
      .filter(({ updated_at }) => !isOld(updated_at))
      .map(({ number, created_at, updated_at }) => {
        return { number, createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
      })
      .toReversed()
      .slice(0, maxChanged);
  };
}
