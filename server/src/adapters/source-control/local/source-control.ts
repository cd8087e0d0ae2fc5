import { ProviderError } from '../../../lib/errors.ts';
import { builtInProvider } from '../../../lib/providers.ts';
import type { GitHost, HostedRepository } from '../git-host.ts';
import { Refusal, type ProviderChangeRequest } from '../port.ts';
import type { RepositoryRef, SourceControl } from '../port.ts';
import type { HostedChangeRequest, HostedChangeRequests } from '../hosted-change-requests.ts';
import type { HostedCollaboration } from '../hosted-collaboration.ts';
import { collaborationFunctions } from './collaboration.ts';
import { readsThrough, type GitReads } from '../reads.ts';

interface Parts {
  git: GitHost;
  changeRequests: HostedChangeRequests;
  collaboration: HostedCollaboration;
  /** Access to a repository through this installation's own API. */
  cloneAccess: SourceControl['cloneAccess'];
}

/**
 * The built-in git host as a provider. Repositories are files that API processes share; change requests are rows. A worker has
 * no access to the files, so it can only open and update change requests.
 */
export function createBuiltInSourceControl({ git, changeRequests, collaboration, cloneAccess }: Parts): SourceControl {
  const hosted = ({ orgId, id }: RepositoryRef) => git.open(orgId, id);
  const reads = readsThrough((repository, _wanted, read) => read(hosted(repository)));
  async function headOf(repository: RepositoryRef, number: number): Promise<string> {
    const row = await changeRequests.read(repository, number);
    const head = row?.state === 'open' ? await hosted(repository).resolve(`refs/heads/${row.headRef}`) : undefined;
    return head ?? row?.headSha ?? '';
  }
  return {
    provider: builtInProvider,
    async verify() {
      await git.verify();
      return { account: '', missingPermissions: [] };
    },
    async find(repository) {
      const defaultBranch = await hosted(repository).defaultBranch();
      return defaultBranch === undefined ? undefined : { defaultBranch };
    },
    branchHead: (repository, branch) => hosted(repository).resolve(`refs/heads/${branch}`),
    cloneAccess,
    ...reads,
    ...changeRequestFunctions(hosted, changeRequests, reads.wouldMerge),
    ...collaborationFunctions({ collaboration, hosted, headOf }),
  };
}

type WouldMerge = GitReads['wouldMerge'];
type ChangeRequestFunctions = Pick<
  SourceControl,
  'openChangeRequest' | 'changeRequest' | 'updateChangeRequest' | 'mergeChangeRequest' | 'closeChangeRequest'
>;

function changeRequestFunctions(
  hosted: (repository: RepositoryRef) => HostedRepository,
  changeRequests: HostedChangeRequests,
  wouldMerge: WouldMerge,
): ChangeRequestFunctions {
  async function find(repository: RepositoryRef, number: number): Promise<HostedChangeRequest | undefined> {
    const row = await changeRequests.read(repository, number);
    if (row?.state !== 'open') return row;
    const repo = hosted(repository);
    const commit = await repo.merged(number, row.baseRef);
    // The branch moved, but the process that moved it crashed before it recorded the merge.
    if (commit !== undefined)
      return changeRequests.end(repository, number, { state: 'merged', headSha: row.headSha, mergeCommit: commit });
    return { ...row, headSha: (await repo.resolve(`refs/heads/${row.headRef}`)) ?? row.headSha };
  }

  async function describe(repository: RepositoryRef, row: HostedChangeRequest): Promise<ProviderChangeRequest> {
    const mergeable = row.state === 'open' && (await wouldMerge(repository, row.baseRef, row.headSha));
    return { ...toChangeRequest(row), mergeable };
  }

  return {
    async openChangeRequest(repository, input) {
      const { changeRequest, created } = await changeRequests.open(repository, input);
      return { changeRequest: toChangeRequest(changeRequest), created };
    },
    async changeRequest(repository, number) {
      const row = await find(repository, number);
      return row === undefined ? undefined : describe(repository, row);
    },
    async updateChangeRequest(repository, number, content) {
      const row = await changeRequests.update(repository, number, content);
      if (row !== undefined) return toChangeRequest(row);
      throw notOpen(requireRow(await changeRequests.read(repository, number), number));
    },
    async mergeChangeRequest(repository, number, { headSha, ...input }) {
      const row = requireRow(await find(repository, number), number);
      if (row.state === 'merged') return describe(repository, row);
      if (row.state === 'closed') throw notOpen(row);
      const { commit } = await hosted(repository).merge({ ...input, number, baseBranch: row.baseRef, headSha });
      const ended = await changeRequests.end(repository, number, { state: 'merged', headSha, mergeCommit: commit });
      return describe(repository, requireRow(ended, number));
    },
    async closeChangeRequest(repository, number) {
      const row = requireRow(await find(repository, number), number);
      if (row.state === 'merged') throw notOpen(row);
      const ended = await changeRequests.end(repository, number, { state: 'closed', headSha: row.headSha });
      return describe(repository, requireRow(ended, number));
    },
  };
}

/** Describes a change request without calling git. */
function toChangeRequest(row: HostedChangeRequest): ProviderChangeRequest {
  return { ...row, mergeable: undefined, isBehind: false, url: '', isFromFork: false };
}

function requireRow(row: HostedChangeRequest | undefined, number: number): HostedChangeRequest {
  if (row === undefined) throw missing(`The repository has no change request ${number}.`);
  return row;
}

function missing(message: string): ProviderError {
  return new ProviderError(message, { retryable: false });
}

function notOpen({ number, state }: HostedChangeRequest): Refusal {
  return new Refusal('not_open', `Change request ${number} is ${state}.`);
}
