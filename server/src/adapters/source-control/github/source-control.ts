import type { HostParts } from '../connection.ts';
import { readsFromMirror } from '../mirrored.ts';
import { namingConflicts } from '../naming-conflicts.ts';
import type { CloneAccess, RepositoryRef, RunAccess, SourceControl } from '../port.ts';
import { convertAppFunction } from './app-manifest.ts';
import { appWebhookFunction } from './app-webhook.ts';
import { changeRequestFunctions } from './change-requests.ts';
import { collaborationFunctions } from './collaboration.ts';
import { createGithubClient, type GithubClient } from './client.ts';
import { githubDeliveryId, readGithubDelivery } from './deliveries.ts';
import { hookFunctions } from './hooks.ts';
import { mergeFunction } from './merge.ts';
import { reachableRepositories, readRepository, requireRepository } from './repositories.ts';
import { verifyFunction } from './verify.ts';
import { verifySignature } from './webhook.ts';

/** GitHub and GitHub Enterprise Server, as an App or with a personal access token. Change requests are pull requests. */
export function createGithubSourceControl(parts: HostParts): SourceControl {
  const { webhookSecrets } = parts;
  const client = createGithubClient(parts);
  const reads = readsFromMirror(parts.mirrors, (ref) => cloneAccess(client, ref));
  const changeRequests = changeRequestFunctions(client);
  const mergeChangeRequest = mergeFunction(client);
  return {
    provider: 'github',
    verify: verifyFunction(client),
    reachable: reachableRepositories(client),
    async find(ref) {
      const found = await readRepository(client, await client.open(ref), ref.repo);
      return found === undefined ? undefined : { defaultBranch: found.defaultBranch };
    },
    cloneAccess: (ref, run) => cloneAccess(client, ref, run),
    ...reads,
    ...changeRequests,
    ...collaborationFunctions(client, changeRequests.comment),
    mergeChangeRequest: namingConflicts({ ...changeRequests, mergeChangeRequest }, reads),
    verifyWebhook:
      webhookSecrets && (async (connection, delivery) => verifySignature(await webhookSecrets(connection), delivery)),
    convertApp: convertAppFunction(parts),
    setAppWebhook: appWebhookFunction(client),
    deliveryId: githubDeliveryId,
    readDelivery: readGithubDelivery,
    ...hookFunctions(client),
  };
}

/** Without a run, access only reads. A token may expire during a push; git then asks the gateway again. */
async function cloneAccess(client: GithubClient, ref: RepositoryRef, run?: RunAccess): Promise<CloneAccess> {
  const connection = await client.open(ref);
  // git follows no redirect of a renamed repository.
  const { repo } = await requireRepository(client, connection, ref.repo);
  const contents = run === undefined ? 'read' : 'write';
  const scope = { repository: repo.split('/')[1] ?? '', permissions: { contents } as const };
  return {
    remoteUrl: `${connection.url}/${repo}.git`,
    exempt: false,
    authorization: async () => {
      // Opened again, because the credential may have been replaced.
      const token = await client.token(await client.open(ref), scope);
      return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    },
  };
}
