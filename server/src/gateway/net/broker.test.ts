import { request as httpRequest, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createScratch,
  identity,
  openWorld,
  startGitHost,
  startPeer,
  type Peer,
  type World,
} from '../../../test/support/gateway.ts';
import { createTestAuthority, type TestAuthority } from '../../../test/support/tls.ts';
import { credentialHeader } from '../../lib/credentials.ts';
import type { Lookup } from './dial.ts';
import { withCredentials } from '../environment.ts';
import type { BrokerCredential } from '../session.ts';

const token = 'tok-5d2c7e0b91-of-the-broker';
const loopback: Lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
const egressAllow = [
  { purpose: 'http', target: '127.0.0.0/8' },
  { purpose: 'git', target: '127.0.0.0/8' },
] as const;

/** A server with a certificate for `*.example.test`. */
interface SecurePeer {
  readonly port: number;
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

let authority: TestAuthority;
let scratch: Awaited<ReturnType<typeof createScratch>>;
beforeAll(async () => {
  authority = await createTestAuthority();
});
afterAll(() => authority.close());
beforeEach(async () => {
  scratch = await createScratch();
});
afterEach(() => scratch.dispose());

async function startSecurePeer(listener: RequestListener): Promise<SecurePeer> {
  const requests: IncomingMessage[] = [];
  const server = await authority.serve((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  return scratch.closing({ ...server, requests });
}

function credential(value: string, allowedHosts: string[], more: Partial<BrokerCredential> = {}): BrokerCredential {
  const header = credentialHeader(value);
  if (header === undefined) throw new Error('no header');
  return {
    name: 'API_KEY',
    urlVariable: 'API_KEY_URL',
    allowedHosts,
    use: 'http',
    header,
    values: [value, header.value],
    ...more,
  };
}

function open(credentials: BrokerCredential[], more: { network?: 'none' | 'registries' } = {}): Promise<World> {
  return scratch.closing(
    openWorld(
      { directory: join(scratch.path, 'doors'), lookup: loopback, egressAllow },
      { network: 'none', broker: () => credentials, ...more },
    ),
  );
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Requests a path from the gateway, or an absolute URL as from a proxy. */
async function ask(
  world: World,
  target: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { method = 'GET', headers = {}, body } = options;
  const call = httpRequest({ host: '127.0.0.1', port: world.port, path: target, method, headers }, resolve);
  call.once('error', reject);
  call.end(body);
  const response = await promise;
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

const says = (words: string) => (_request: IncomingMessage, response: ServerResponse) => response.end(words);

describe('a request to a host of the credential', () => {
  test('over https gets the header, with method, path, query, headers and body as they were', async () => {
    let body = '';
    const peer = await startSecurePeer((request, response) => {
      void text(request).then((sent) => {
        body = sent;
        return response.writeHead(201, { 'x-kept': 'yes' }).end('made');
      });
    });
    const world = await open([credential(token, [`api.example.test:${peer.port}`])]);
    const answer = await ask(world, `/broker/api.example.test:${peer.port}/v1//things?q=a%20b&q=c`, {
      method: 'POST',
      headers: { authorization: 'Bearer of-the-sandbox', 'x-own': 'kept', cookie: 'a=b' },
      body: '{"a":1}',
    });
    expect([answer.status, answer.headers['x-kept'], answer.body, body]).toEqual([201, 'yes', 'made', '{"a":1}']);
    const [request] = peer.requests;
    expect([request?.method, request?.url]).toEqual(['POST', '/v1//things?q=a%20b&q=c']);
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      host: `api.example.test:${peer.port}`,
      'x-own': 'kept',
      cookie: 'a=b',
    });
  });

  test('over plain http, as of a proxy, gets it too', async () => {
    const peer = await scratch.closing(startPeer(says('plain')));
    const world = await open([credential(token, [`api.example.test:${peer.port}`])]);
    const answer = await ask(world, `http://api.example.test:${peer.port}/x?y=z`);
    expect([answer.status, answer.body]).toEqual([200, 'plain']);
    expect(peer.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
    expect(peer.requests[0]?.url).toBe('/x?y=z');
  });

  test('gets the header that the value names, and of two credentials each its own', async () => {
    const peer = await startSecurePeer(says('ok'));
    const hosts = [`*.example.test:${peer.port}`];
    const world = await open([
      credential(`x-api-key: ${token}`, hosts),
      credential('second-token-0123456789', hosts, { name: 'OTHER' }),
      credential('third-token-0123456789', hosts, { name: 'THIRD' }),
    ]);
    await ask(world, `/broker/api.example.test:${peer.port}/`);
    expect(peer.requests[0]?.headers).toMatchObject({
      'x-api-key': token,
      authorization: 'Bearer second-token-0123456789',
    });
  });

  test('takes the newest version of the credential', async () => {
    const peer = await startSecurePeer(says('ok'));
    let current = [credential('the-first-value-of-it', [`api.example.test:${peer.port}`])];
    const world = await scratch.closing(
      openWorld({ directory: join(scratch.path, 'doors'), lookup: loopback, egressAllow }, { broker: () => current }),
    );
    await ask(world, `/broker/api.example.test:${peer.port}/`);
    current = [credential('the-second-value-of-it', [`api.example.test:${peer.port}`])];
    await ask(world, `/broker/api.example.test:${peer.port}/`);
    expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer the-first-value-of-it',
      'Bearer the-second-value-of-it',
    ]);
  });
});

describe('what gets nothing', () => {
  test('another host, the same host at another port, and a path that names none', async () => {
    const peer = await startSecurePeer(says('not for you'));
    const plain = await scratch.closing(startPeer(says('not for you')));
    const world = await open([credential(token, ['api.example.test', '*.only.example.test'])]);
    for (const target of [
      `/broker/other.example.test:${peer.port}/`,
      `/broker/api.example.test:${peer.port}/`,
      `/broker/api.example.test.evil.example:${peer.port}/`,
      '/broker/only.example.test/',
      `http://api.example.test:${plain.port}/`,
    ]) {
      const answer = await ask(world, target);
      expect([target, answer.status]).toEqual([target, 403]);
    }
    for (const target of ['/broker/', '/broker//x', '/broker/a:b@c/', '/broker/a:99999/'])
      expect([400, 403]).toContain((await ask(world, target)).status);
    expect([...peer.requests, ...plain.requests]).toEqual([]);
    expect(world.events.every(({ kind }) => kind === 'refused')).toBe(true);
    expect(JSON.stringify(world.events)).not.toContain(token);
  });

  test('a private address, unless the operator opened it', async () => {
    const peer = await startSecurePeer(says('internal'));
    const hosts = [`api.example.test:${peer.port}`];
    const world = await scratch.closing(
      openWorld(
        { directory: join(scratch.path, 'doors'), lookup: loopback },
        { broker: () => [credential(token, hosts)] },
      ),
    );
    const answer = await ask(world, `/broker/api.example.test:${peer.port}/`);
    expect([answer.status, answer.headers['x-guildhall-refused']]).toEqual([403, 'private_address']);
    expect(peer.requests).toEqual([]);
  });

  test('a server whose certificate is not for the host', async () => {
    const peer = await startSecurePeer(says('impostor'));
    const world = await open([credential(token, [`api.example.org:${peer.port}`])]);
    expect((await ask(world, `/broker/api.example.org:${peer.port}/`)).status).toBe(502);
    expect(peer.requests).toEqual([]);
  });

  test('a redirect to another host: it goes where it says, without the header', async () => {
    const other = await scratch.closing(startPeer(says('elsewhere')));
    const peer = await startSecurePeer((_request, response) =>
      response.writeHead(302, { location: `http://other.example.test:${other.port}/landed` }).end(),
    );
    const world = await scratch.closing(
      openWorld(
        { directory: join(scratch.path, 'doors'), lookup: loopback, egressAllow },
        { network: 'open', broker: () => [credential(token, [`api.example.test:${peer.port}`])] },
      ),
    );
    const answer = await ask(world, `/broker/api.example.test:${peer.port}/`);
    expect([answer.status, answer.headers.location]).toEqual([302, `http://other.example.test:${other.port}/landed`]);
    expect(other.requests).toEqual([]);
    // As a client does that follows it and adds its own header.
    await ask(world, String(answer.headers.location));
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('the setup, whose result other sessions share', async () => {
    const peer = await startSecurePeer(says('private'));
    const world = await open([credential(token, [`api.example.test:${peer.port}`])], { network: 'registries' });
    const answer = await ask(world, `/broker/api.example.test:${peer.port}/`);
    expect([answer.status, answer.headers['x-guildhall-refused']]).toEqual([403, 'network_registries']);
    expect(peer.requests).toEqual([]);
  });
});

describe('what comes back', () => {
  test.each(['/next?a=b', 'next?a=b', `https://API.example.test:PORT/next?a=b`])(
    'a redirect within the host leads through the gateway again: %s',
    async (location) => {
      const peer = await startSecurePeer((_request, response) =>
        response.writeHead(307, { location: location.replace('PORT', String(peer.port)) }).end(),
      );
      const world = await open([credential(token, [`api.example.test:${peer.port}`])]);
      const answer = await ask(world, `/broker/api.example.test:${peer.port}/first`);
      expect(answer.headers.location).toBe(`/broker/api.example.test:${peer.port}/next?a=b`);
    },
  );

  test.each<[string, (body: string) => Buffer]>([
    ['identity', (body) => Buffer.from(body)],
    ['gzip', (body) => gzipSync(body)],
    ['br', (body) => brotliCompressSync(body)],
    ['zstd', (body) => zstdCompressSync(body)],
  ])('an echo of the header is masked, in %s, in base64 and in headers', async (encoding, encoded) => {
    const peer = await startSecurePeer((request, response) => {
      const sent = String(request.headers.authorization);
      const body = encoded(`you sent ${sent} or ${Buffer.from(sent).toString('base64')}, and that is all`);
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length, 'x-echo': sent });
      // In pieces, so that the value is split over two of them.
      for (let at = 0; at < body.length; at += 11) response.write(body.subarray(at, at + 11));
      response.end();
    });
    const world = await open([credential(token, [`api.example.test:${peer.port}`])]);
    const answer = await ask(world, `/broker/api.example.test:${peer.port}/`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(answer.status).toBe(200);
    expect(peer.requests[0]?.headers['accept-encoding']).toBe('identity');
    expect(answer.body).toMatch(/^you sent .*\*{8}.* or .*\*{8}.*, and that is all$/);
    expect(answer.headers['x-echo']).toContain('********');
    const all = JSON.stringify(answer);
    for (const part of [token, Buffer.from(token).toString('base64').slice(4, 24)]) expect(all).not.toContain(part);
  });

  test('what cannot be looked into is not passed on', async () => {
    const peer = await startSecurePeer((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'x-secret' }).end(token),
    );
    const world = await open([credential(token, [`api.example.test:${peer.port}`])]);
    const answer = await ask(world, `/broker/api.example.test:${peer.port}/`);
    expect([answer.status, answer.body.includes(token)]).toEqual([502, false]);
  });

  test('HEAD and 304 have no body, and keep their headers', async () => {
    const peer = await startSecurePeer((request, response) => {
      response.writeHead(request.method === 'HEAD' ? 200 : 304, { etag: '"e"', 'content-encoding': 'gzip' }).end();
    });
    const world = await open([credential(token, [`api.example.test:${peer.port}`])]);
    const path = `/broker/api.example.test:${peer.port}/`;
    expect(await ask(world, path, { method: 'HEAD' })).toMatchObject({
      status: 200,
      headers: { etag: '"e"' },
      body: '',
    });
    expect(await ask(world, path)).toMatchObject({ status: 304, headers: { etag: '"e"' }, body: '' });
  });
});

describe('the environment of a sandbox', () => {
  test('has placeholders and ways, and no value', async () => {
    const world = await open([]);
    const base = await world.endpoint.environment('http://127.0.0.1:8080');
    const environment = withCredentials(base, 'http://127.0.0.1:8080/', [
      credential(token, ['*.example.org', 'api.example.test', 'other.example.test']),
      credential(`x-api-key: ${token}`, ['*.example.org'], { name: 'WILD', urlVariable: 'WILD_URL' }),
      credential(token, ['git.example.test'], { name: 'GIT', urlVariable: '', use: 'git' }),
    ]);
    expect(environment).toMatchObject({
      ...base,
      GIT_CONFIG_COUNT: String(Number(base['GIT_CONFIG_COUNT']) + 3),
      GUILDHALL_BROKER_URL: 'http://127.0.0.1:8080/broker',
      API_KEY: 'held-by-the-gateway',
      API_KEY_URL: 'http://127.0.0.1:8080/broker/api.example.test',
      WILD: 'held-by-the-gateway',
    });
    expect(environment).not.toHaveProperty('WILD_URL');
    expect(environment).not.toHaveProperty('GIT');
    expect(Object.values(environment)).toContain('url.http://127.0.0.1:8080/broker/git.example.test/.insteadOf');
    expect(JSON.stringify(environment)).not.toContain(token);
  });
});

describe('a git credential', () => {
  async function gitWorld(): Promise<{ world: World; host: Peer; clone: (url: string) => Promise<string> }> {
    const authorization = `Basic ${Buffer.from(`bot:${token}`).toString('base64')}`;
    const host = await scratch.closing(startGitHost(join(scratch.path, 'repositories'), { authorization }));
    await host.createRepository('acme/private');
    const work = join(scratch.path, 'work');
    const remote = `http://bot:${token}@127.0.0.1:${host.port}/acme/private.git`;
    const env = { ...identity, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
    await execa('git', ['init', '-q', '-b', 'main', work], { env });
    await execa('git', ['commit', '-q', '--allow-empty', '-m', 'first'], { cwd: work, env });
    await execa('git', ['push', '-q', remote, 'main'], { cwd: work, env });
    // Names the host's own port with plain HTTP, which the gateway reaches as a proxy.
    const secret = credential(token, [`git.example.test:${host.port}`], {
      name: 'GIT',
      urlVariable: '',
      use: 'git',
      header: { name: 'authorization', value: authorization },
    });
    const world = await open([secret]);
    let count = 0;
    return {
      world,
      host,
      clone: async (url) => {
        const into = join(scratch.path, `clone-${(count += 1)}`);
        await execa('git', ['clone', '-q', url, into], { env: { ...env, http_proxy: world.inside } });
        return into;
      },
    };
  }

  test('fetches, and cannot push', async () => {
    const { world, host, clone } = await gitWorld();
    const url = `http://git.example.test:${host.port}/acme/private.git`;
    const into = await clone(url);
    const env = { ...identity, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', http_proxy: world.inside };
    await execa('git', ['commit', '-q', '--allow-empty', '-m', 'second'], { cwd: into, env });
    const push = await execa('git', ['push', 'origin', 'HEAD:refs/heads/other'], { cwd: into, env, reject: false });
    expect(push.exitCode).not.toBe(0);
    expect(push.stderr).toContain('403');
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'refused', reason: 'git_policy' }));
    for (const path of [
      'git-receive-pack',
      'info/refs?service=git-receive-pack',
      'info/refs?service=x&service=git-receive-pack',
    ])
      expect(
        (await ask(world, `${url}/${path}`, { method: path === 'git-receive-pack' ? 'POST' : 'GET' })).status,
      ).toBe(403);
  });

  test.each([
    'git-receive%2Dpack',
    'git-receive%252dpack',
    'git-receive%25%32%44pack',
    'GIT-Receive-Pack',
    'git-receive-pack/',
    'git-receive-pack%00',
    'git-receive-pack;a=b',
    '..%2Fapp.git%2Fgit-receive-pack',
    '%2e%2e/app.git/git-receive-pack',
    'git-upload-pack/..%5Cgit-receive-pack',
    'git-receive-pack%3F/git-upload-pack',
    'info/refs?service=git-receive%2Dpack',
    'info/refs/?service=git-receive-pack',
    'info%2Frefs?service=git-receive-pack',
    'info/refs?service=git-upload-pack;service=git-receive-pack',
    'info/refs?Service=Git-Receive-Pack',
  ])('cannot push, and nor can another credential, by the path %s', async (path) => {
    const host = await scratch.closing(startPeer(says('reached')));
    const there = [`git.example.test:${host.port}`];
    const git = credential(token, there, { name: 'GIT', urlVariable: '', use: 'git' });
    for (const credentials of [[credential(token, there)], [git]]) {
      const world = await open(credentials);
      for (const method of ['GET', 'POST']) {
        const url = `http://git.example.test:${host.port}/acme/app.git/${path}`;
        expect((await ask(world, url, { method })).status).toBe(403);
      }
      await world.close();
    }
    expect(host.requests).toHaveLength(0);
  });

  test('does not keep a credential from files that only have such a name', async () => {
    const host = await scratch.closing(startPeer(says('reached')));
    const world = await open([credential(token, [`git.example.test:${host.port}`])]);
    const url = `http://git.example.test:${host.port}/contents/git-receive-pack.txt?path=git-receive-packs`;
    expect((await ask(world, url)).body).toBe('reached');
  });

  test('is for nothing but git, and what else the host says is not passed on', async () => {
    const { world, host } = await gitWorld();
    const before = host.requests.length;
    expect((await ask(world, `http://git.example.test:${host.port}/api/v4/user`)).status).toBe(403);
    expect(host.requests.length).toBe(before);
    const missing = await ask(
      world,
      `http://git.example.test:${host.port}/acme/none.git/info/refs?service=git-upload-pack`,
    );
    expect(missing.status).toBe(404);
    expect(missing.body).toContain('responded with status 404');
  });
});
