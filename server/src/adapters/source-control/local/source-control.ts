import { TooManyChanges } from '../../../git/change-reader.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { builtInProvider } from '../../../lib/providers.ts';
import type { GitHost, HostedRepository } from '../git-host.ts';
import { ComparisonTooLarge, Refusal, type ProviderChangeRequest } from '../port.ts';
import type { RepositoryRef, SourceControl } from '../port.ts';
import type { HostedChangeRequest, HostedChangeRequests } from '../hosted-change-requests.ts';

interface Parts {
  git: GitHost;
  changeRequests: HostedChangeRequests;
  /** Access to a repository through this installation's own API. */
  cloneAccess: SourceControl['cloneAccess'];
}

/**
 * The built-in git host as a provider. Repositories are files that API processes share; change requests are rows. A worker has
 * no access to the files, so it can only open and update change requests.
 */
export function createBuiltInSourceControl({ git, changeRequests, cloneAccess }: Parts): SourceControl {
  const { wouldMerge } = createTrialMerges(git);
  const hosted = ({ orgId, id }: RepositoryRef) => git.open(orgId, id);
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
    findBranches: (repository, options) => hosted(repository).findBranches(options),
    resolve: (repository, ref) => hosted(repository).resolve(ref),
    findPaths: (repository, commit, options) => hosted(repository).findPaths(commit, options),
    async compare(repository, base, head) {
      const repo = hosted(repository);
      const to = await repo.resolve(head);
      if (to === undefined) throw missing(`The repository has no commit ${JSON.stringify(head)}.`);
      const tip = await repo.resolve(base);
      const from = (tip === undefined ? undefined : await repo.mergeBase(tip, to)) ?? tip ?? to;
      return repo.diff(from, to).catch((error: unknown) => {
        throw error instanceof TooManyChanges ? new ComparisonTooLarge(error.message, from) : error;
      });
    },
    ...changeRequestFunctions(hosted, changeRequests, wouldMerge),
    wouldMerge,
    async readTree(repository, ref, directories, maxEntries) {
      const repo = hosted(repository);
      const commit = await repo.resolve(ref);
      return commit === undefined ? undefined : repo.tree(commit, directories, maxEntries);
    },
  };
}

type WouldMerge = NonNullable<SourceControl['wouldMerge']>;
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
    return { ...row, mergeable, url: '' };
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
  return { ...row, mergeable: undefined, url: '' };
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

/** Caches trial merges: the outcome for two commits never changes. */
function createTrialMerges(git: GitHost): { wouldMerge: WouldMerge } {
  const outcomes = new Map<string, Promise<boolean>>();
  return {
    async wouldMerge({ orgId, id }, baseRef, headSha) {
      const repo = git.open(orgId, id);
      const base = await repo.resolve(baseRef);
      if (base === undefined) return false;
      const name = `${id} ${base} ${headSha}`;
      const known = outcomes.get(name);
      if (known !== undefined) return known;
      const outcome = repo.mergeability(base, headSha).then((found) => found === 'clean');
      if (outcomes.size >= 10_000) outcomes.clear();
      outcomes.set(name, outcome);
      outcome.catch(() => outcomes.delete(name));
      return outcome;
    },
  };
}
