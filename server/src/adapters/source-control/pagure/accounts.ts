import { ProviderError } from '../../../lib/errors.ts';
import type { HostConnection, HostFetch } from '../connection.ts';
import type { ConnectionHealth, ConnectionRef } from '../port.ts';
import { hostOf, PagureRefusal, tokenOf, type PagureClient } from './client.ts';
import { Done, Whoami } from './shapes.ts';

/** No project can be called so: each of these calls is refused, for its permission or because there is no such project. */
const nowhere = '-';
const permissions = {
  pull_request_create: `${nowhere}/pull-request/new`,
  pull_request_update: `${nowhere}/pull-request/0`,
  pull_request_comment: `${nowhere}/pull-request/0/comment`,
  pull_request_merge: `${nowhere}/pull-request/0/merge`,
  pull_request_close: `${nowhere}/pull-request/0/close`,
  commit_flag: `${nowhere}/c/0/flag`,
  issue_comment: `${nowhere}/issue/0/comment`,
} as const;

const maxAccounts = 1_000;

/** The account behind a connection, and what its token may do. */
export interface Accounts {
  /** Returns the header with which git signs in. */
  gitAuthorization(connection: ConnectionRef): Promise<string>;
  name(connection: ConnectionRef): Promise<string>;
  /** Asks Pagure anew. */
  verify(connection: ConnectionRef): Promise<ConnectionHealth>;
}

export function createAccounts(client: PagureClient, fetch: HostFetch): Accounts {
  const names = new Map<string, string>();

  async function ask(connection: ConnectionRef): Promise<string> {
    const opened = await client.open(connection);
    const { username } = await client.call(connection, { method: 'POST', path: '-/whoami' }, Whoami);
    if (names.size >= maxAccounts) names.clear();
    names.set(keyOf(opened), username);
    return username;
  }

  async function name(connection: ConnectionRef): Promise<string> {
    return names.get(keyOf(await client.open(connection))) ?? ask(connection);
  }

  async function gitAuthorization(connection: ConnectionRef): Promise<string> {
    const account = await name(connection);
    const token = tokenOf(await client.open(connection));
    return `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
  }

  return {
    name,
    gitAuthorization,
    async verify(connection) {
      const account = await ask(connection);
      const missing: string[] = [];
      if (!(await mayPush(await client.open(connection), fetch, await gitAuthorization(connection))))
        missing.push('commit');
      for (const [permission, path] of Object.entries(permissions))
        if (!(await mayCall(client, connection, path))) missing.push(permission);
      return { account, missingPermissions: missing };
    },
  };
}

function keyOf(connection: HostConnection): string {
  return `${connection.url} ${tokenOf(connection)}`;
}

/** Pagure checks a token's permissions before it looks for the project. */
async function mayCall(client: PagureClient, connection: ConnectionRef, path: string): Promise<boolean> {
  const call = client.call(connection, { method: 'POST', path, form: { title: '-' } }, Done);
  return call.then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof PagureRefusal)) throw error;
      return error.code !== 'EINVALIDTOK';
    },
  );
}

async function mayPush({ url }: HostConnection, fetch: HostFetch, authorization: string): Promise<boolean> {
  const address = `${url}/${nowhere}.git/info/refs?service=git-receive-pack`;
  const { status } = await fetch(address, { headers: { authorization } });
  if (status === 403)
    throw new ProviderError(
      `${hostOf(url)} does not accept pushes over HTTP. Its operator can allow them: ALLOW_HTTP_PULL_PUSH and ALLOW_HTTP_PUSH.`,
      { retryable: false },
    );
  if (status >= 500) throw new ProviderError(`${hostOf(url)} failed with status ${status}.`, { retryable: true });
  return status !== 401;
}
