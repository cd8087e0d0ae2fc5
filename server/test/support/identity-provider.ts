import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from './mailbox.ts';

/** The provider's claims about a user who signs in there. */
export interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[] | string;
  /** Places of claims that the provider does not send itself. */
  _claim_names?: Record<string, string>;
  _claim_sources?: Record<string, { endpoint: string }>;
}

/** A certified OpenID provider on loopback, which signs everybody in as `account`. */
export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The next user. */
  account: Account;
  /** Responds instead of the provider if it returns true. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Follows the provider's pages with a separate browser; returns the URL of the final redirect. */
  visit(authorizationUrl: string): Promise<URL>;
  /** Stops responding; {@link start} resumes at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** `redirectUri` is the only one that the provider accepts. */
export async function openIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const [clientId, clientSecret] = ['guildhall', 'the secret of the client'];
  const accounts = new Map<string, Account>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['for tests'] },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    async findAccount(_ctx, sub) {
      return { accountId: sub, claims: async () => ({ ...accounts.get(sub), sub }) };
    },
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({ clientId, accountId: ctx.oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  });
  let current: Account = { sub: 'nobody' };
  const instead: IdentityProvider['instead'] = () => false;
  const answer = provider.callback();
  let server: Server | undefined;
  async function start(): Promise<void> {
    server = createServer((request, response) => {
      if (opened.instead(request, response)) return;
      const done = request.url?.startsWith('/interaction/')
        ? provider.interactionFinished(request, response, { login: { accountId: current.sub } })
        : answer(request, response);
      Promise.resolve(done).catch((error: unknown) => response.writeHead(500).end(String(error)));
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  const opened: IdentityProvider = {
    instead,
    issuer,
    clientId,
    clientSecret,
    get account() {
      return current;
    },
    set account(account) {
      current = account;
      accounts.set(account.sub, account);
    },
    visit: (url) => visit(url, redirectUri),
    start,
    async stop() {
      server?.closeAllConnections();
      server?.close();
      await (server === undefined ? undefined : once(server, 'close'));
    },
  };
  await start();
  return opened;
}

async function visit(authorizationUrl: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} at ${url}: ${await response.text()}`);
    const next = new URL(location, url);
    if (next.href.startsWith(redirectUri)) return next;
    url = next.href;
  }
  throw new Error('The provider goes round in circles.');
}
