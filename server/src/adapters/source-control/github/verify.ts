import { Type } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import { CredentialRejected, type HostConnection } from '../connection.ts';
import type { ConnectionHealth, SourceControl } from '../port.ts';
import { App, Installation, OwnRepositories, User } from './answers.ts';
import { nameOf, type GithubClient } from './client.ts';
import { GithubFailure } from './failures.ts';
import { missingAppPermissions, missingScopes } from './permissions.ts';
import { repositoryPath } from './repository-path.ts';

/** Verifies a connection: who acts, and what the credential lacks. */
export function verifyFunction(client: GithubClient): SourceControl['verify'] {
  return async (ref) => {
    const connection = await client.open(ref);
    const { credential } = connection;
    return credential.kind === 'app'
      ? verifyApp(client, connection, credential.installationId)
      : verifyToken(client, connection);
  };
}

async function verifyApp(
  client: GithubClient,
  connection: HostConnection,
  installationId: string,
): Promise<ConnectionHealth> {
  const { data: app } = await client.callAsApp(connection, { does: 'read the App', path: '/app', answer: App });
  const path = `/app/installations/${encodeURIComponent(installationId)}`;
  const call = { does: 'read the installation of the App', path, answer: Installation };
  const { data: installation } = await client.callAsApp(connection, call).catch((error: unknown) => {
    // The App was uninstalled.
    throw error instanceof GithubFailure && error.status === 404 ? new CredentialRejected(connection) : error;
  });
  if (installation.suspended_at !== null)
    throw new ProviderError(`The installation of the App is suspended at ${nameOf(connection)}. Unsuspend it there.`, {
      retryable: false,
    });
  // A new token has the permissions of this moment.
  await client.call(connection, {
    does: 'list repositories',
    path: '/installation/repositories',
    answer: Type.Unknown(),
  });
  return { account: `${app.slug}[bot]`, missingPermissions: missingAppPermissions(installation.permissions) };
}

async function verifyToken(client: GithubClient, connection: HostConnection): Promise<ConnectionHealth> {
  const call = { does: "read the token's user", path: '/user', answer: User };
  const { headers, data: user } = await client.call(connection, call);
  const scopes = headers.get('x-oauth-scopes');
  // GitHub does not tell the permissions of a fine-grained token.
  const missingPermissions = scopes === null ? await probe(client, connection) : missingScopes(scopes);
  return { account: user.login, missingPermissions };
}

const absent = 'guildhall/verify';
/** Requests that need a permission and that GitHub refuses as invalid from whoever has it, so none has an effect. */
const probes = [
  {
    permission: 'contents: write',
    path: '/git/refs',
    body: { ref: `refs/heads/${absent}`, sha: '0'.repeat(40) },
  },
  {
    permission: 'pull_requests: write',
    path: '/pulls',
    body: { title: 'Verify', head: absent, base: absent },
  },
  {
    permission: 'statuses: write',
    path: `/statuses/${'0'.repeat(40)}`,
    body: { state: 'success' },
  },
];

/** Returns the permissions that a fine-grained token lacks in the first repository that it may push to. */
async function probe(client: GithubClient, connection: HostConnection): Promise<string[]> {
  const query = { per_page: '100', sort: 'pushed' };
  const call = { does: 'list repositories', path: '/user/repos', query, answer: OwnRepositories };
  const { data } = await client.call(connection, call);
  const repository = data.find(({ archived, permissions }) => !archived && permissions?.push === true);
  if (repository === undefined) return data.length === 0 ? ['metadata: read'] : ['contents: write'];
  const base = repositoryPath(repository.full_name);
  const missing = await Promise.all(
    probes.map(async ({ permission, path, body }) => {
      const sent = { does: 'verify the token', method: 'POST' as const, path: `${base}${path}`, body };
      const refused = await client.call(connection, { ...sent, answer: Type.Unknown() }).then(
        () => false,
        (error: unknown) => isRefusal(error),
      );
      return refused ? permission : undefined;
    }),
  );
  return missing.filter((permission) => permission !== undefined);
}

/** Returns true if a permission is missing; throws what says nothing about it. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GithubFailure) || error.retryable) throw error;
  return error.status === 403 && error.reasons.some((reason) => reason.startsWith('Resource not accessible by'));
}
