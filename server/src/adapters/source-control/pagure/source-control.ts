import type { HostParts } from '../connection.ts';
import { deleteBranchByPush, readsFromMirror } from '../mirrored.ts';
import { namingConflicts } from '../naming-conflicts.ts';
import type { CloneAccess, RepositoryRef, SourceControl } from '../port.ts';
import { createChecks } from './checks.ts';
import { createChangeRequests } from './change-requests.ts';
import { createPagureClient } from './client.ts';
import { readPagureDelivery } from './deliveries.ts';
import { ensureWebhookFunction } from './hooks.ts';
import { createAccounts } from './accounts.ts';
import { requireProject } from './project.ts';
import { createDiscussions } from './discussion.ts';
import { createIssues } from './issues.ts';
import { createPullRequests } from './pull-requests.ts';
import { createRepositories } from './repositories.ts';
import { createWebhooks } from './webhook.ts';

/** Pagure 5 as a provider, over its API with a token of an account or of a project. */
export function createPagureSourceControl(parts: HostParts): SourceControl {
  const client = createPagureClient(parts);
  const accounts = createAccounts(client, parts.fetch);

  async function cloneAccess(repository: RepositoryRef): Promise<CloneAccess> {
    const { url } = await client.open(repository);
    return {
      remoteUrl: `${url}/${requireProject(repository.repo).fullName}.git`,
      authorization: () => accounts.gitAuthorization(repository),
      exempt: false,
    };
  }

  const reads = readsFromMirror(parts.mirrors, cloneAccess);
  const pulls = createPullRequests(client);
  const changeRequests = createChangeRequests(pulls, reads);
  return {
    provider: 'pagure',
    mergeMethods: ['merge'],
    verify: accounts.verify,
    cloneAccess,
    ...createRepositories(client, accounts),
    ...reads,
    ...changeRequests,
    mergeChangeRequest: namingConflicts(changeRequests, reads),
    ...createChecks(client),
    ...createDiscussions({ client, accounts, pulls, reads }),
    ...createIssues(client, pulls),
    async deleteBranch(repository, branch) {
      const access = await cloneAccess(repository);
      await deleteBranchByPush(parts.mirrors, access, { reads, repository, branch });
    },
    ...createWebhooks(client, parts.now),
    // A message has its id in its body.
    deliveryId: () => '',
    readDelivery: readPagureDelivery,
    ensureWebhook: ensureWebhookFunction(client),
  };
}
