import type { HostParts } from '../connection.ts';
import { namingConflicts } from '../naming-conflicts.ts';
import { readsFromMirror } from '../mirrored.ts';
import type { RepositoryRef, SourceControl } from '../port.ts';
import { accountFunctions } from './account.ts';
import { changeRequestFunctions } from './change-requests.ts';
import { basicAuthorization, createGitlabClient, parsed } from './client.ts';
import { collaborationFunctions } from './collaboration.ts';
import { gitlabDeliveryId, readGitlabDelivery } from './deliveries.ts';
import { ensureWebhookFunction } from './hooks.ts';
import { Project } from './shapes.ts';
import { verifyDelivery } from './webhook.ts';

/**
 * GitLab, with a personal, project or group access token. Change requests are merge requests; a project may be in nested groups,
 * so a repository is `group/subgroup/project`.
 */
export function createGitlabSourceControl(parts: HostParts): SourceControl {
  const client = createGitlabClient(parts);
  const { connections, webhookSecrets } = parts;

  /** Asks for the project first: git follows no redirect from a former name. */
  async function cloneAccess(repository: RepositoryRef) {
    const answer = await client.inProject(repository, { path: '' });
    const { path_with_namespace: path } = parsed(Project, answer);
    return {
      remoteUrl: `${answer.connection.url}/${path}.git`,
      // A token that was replaced meanwhile is read again.
      authorization: async () => basicAuthorization(await connections.open(repository)),
      exempt: false,
    };
  }

  const reads = readsFromMirror(parts.mirrors, cloneAccess);
  const changeRequests = changeRequestFunctions(client);
  return {
    provider: 'gitlab',
    ...accountFunctions(client),
    async find(repository) {
      const answer = await client.inProject(repository, { path: '' });
      if (answer.status === 404) return undefined;
      const project = parsed(Project, answer);
      // GitLab deletes a project days after somebody asked for it, and changes nothing in it until then.
      if ((project.marked_for_deletion_on ?? '') !== '') return undefined;
      return { defaultBranch: project.default_branch ?? '' };
    },
    cloneAccess,
    ...reads,
    ...changeRequests,
    ...collaborationFunctions(client, reads),
    mergeChangeRequest: namingConflicts(changeRequests, reads),
    verifyWebhook:
      webhookSecrets &&
      (async (connection, delivery) => verifyDelivery(await webhookSecrets(connection), delivery, parts.now())),
    deliveryId: gitlabDeliveryId,
    readDelivery: readGitlabDelivery,
    ensureWebhook: ensureWebhookFunction(client),
  };
}
