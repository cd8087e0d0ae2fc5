import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScratch, openWorld, startPeer, type Peer, type World } from '../../../test/support/gateway.ts';
import type { NetworkMode } from '../net/egress.ts';
import type { HostRegistries } from './registries.ts';
import { isFileLink, isOwnPath } from './links.ts';

const token = 'Bearer OPERATOR-NPM-TOKEN-123456';

let scratch: Awaited<ReturnType<typeof createScratch>>;
let registry: Peer;
/** A host of the package's publisher. */
let attacker: Peer;
/** A host for files that the operator named. */
let files: Peer;
/** The registry's pages, by path. */
let pages: Map<string, { type: string; body: string }>;
/** The redirects of a host's paths. */
let redirects: Map<string, string>;

beforeEach(async () => {
  scratch = await createScratch();
  pages = new Map();
  redirects = new Map();
  const serve =
    (name: string) => (request: IncomingMessage, response: Parameters<Parameters<typeof startPeer>[0]>[1]) => {
      const path = request.url ?? '';
      const location = redirects.get(path);
      if (location !== undefined) return void response.writeHead(302, { location }).end();
      const page = pages.get(path);
      if (page !== undefined) return void response.writeHead(200, { 'content-type': page.type }).end(page.body);
      response.end(`${name} answers`);
    };
  registry = await scratch.closing(startPeer(serve('registry')));
  attacker = await scratch.closing(startPeer(serve('attacker')));
  files = await scratch.closing(startPeer(serve('files')));
});
afterEach(() => scratch.dispose());

function open(network: NetworkMode = 'registries', allowedHosts: string[] = []): Promise<World> {
  const configured: HostRegistries = {
    npm: {
      main: { url: new URL(`${registry.url}/npm`), authorization: token },
      scopes: new Map(),
      isDefault: false,
    },
    pip: { url: new URL(`${registry.url}/simple`), authorization: token },
  };
  const host = `127.0.0.1:${files.port}`;
  return scratch.closing(
    openWorld(
      {
        directory: join(scratch.path, `doors-${network}`),
        registries: async () => configured,
        registryFiles: { npm: [host], pip: [host] },
        // The stand-ins for public hosts are on loopback.
        egressAllow: [{ purpose: 'http', target: '127.0.0.0/8' }],
      },
      { network, allowedHosts },
    ),
  );
}

async function ask(url: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { body, ...rest } = options;
  httpRequest(url, { ...rest, agent: false }, resolve)
    .once('error', reject)
    .end(body);
  const answer = await promise;
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** Sends a request like a client that obeys `HTTP_PROXY`. */
function askProxy(world: World, url: string) {
  return ask(world.inside, { headers: { host: new URL(url).host } }).then(async () => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    httpRequest({ host: '127.0.0.1', port: world.port, path: url, agent: false }, resolve).once('error', reject).end();
    const answer = await promise;
    return { status: answer.statusCode, body: await text(answer) };
  });
}

function packument(name: string, tarball: string, more: object = {}): void {
  const version = { name, version: '1.0.0', dist: { tarball }, ...more };
  const body = JSON.stringify({ name, ...more, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } });
  pages.set(`/npm/${name}`, { type: 'application/json', body });
}

/** Returns a page as a sandbox gets it, parsed. */
async function pageOf(world: World, name: string): Promise<{ text: string; tarball: string }> {
  const { body } = await ask(`${world.inside}/npm/${name}`);
  const parsed: unknown = JSON.parse(body);
  const tarball: unknown = Object(parsed).versions['1.0.0'].dist.tarball;
  return { text: body, tarball: String(tarball) };
}

describe('a packument of somebody else', () => {
  test.each<[NetworkMode, string[]]>([
    ['registries', []],
    ['allowlist', ['api.example.com']],
  ])('leads nowhere that the network %s does not lead', async (mode, allowed) => {
    const world = await open(mode, allowed);
    const evil = `${attacker.url}/evil/-/evil-1.0.0.tgz`;
    packument('evil', evil, {
      config: { tarball: evil },
      dist: { tarball: evil },
      note: [{ dist: { tarball: evil } }],
    });
    const page = await pageOf(world, 'evil');
    expect(page.tarball).toBe(evil);
    expect(page.text).not.toContain('-files');
    expect(await askProxy(world, evil)).toMatchObject({ status: 403 });
    expect(attacker.requests).toEqual([]);
  });

  test.each([
    '/-/whoami',
    '/-/npm/v1/tokens',
    '/npm/-/whoami',
    '/npm/-/npm/v1/tokens',
    '/npm/other/-/../../admin.tgz',
    '/npm/evil/-/%2e%2e%2f%2e%2e%2fadmin.tgz',
    '/npm/evil/-/%252e%252e%252fadmin.tgz',
    '/npm/evil/-/evil-1.0.0.tgz?as=admin',
    '/elsewhere/another/-/another-1.0.0.tgz',
    '/download/@a/b/1.0.0/settings',
  ])("mints no link to the registry's own %s", async (path) => {
    const world = await open();
    packument('evil', `${registry.url}${path}`);
    const { text: page, tarball } = await pageOf(world, 'evil');
    expect([page.includes('-files'), tarball]).toEqual([false, `${registry.url}${path}`]);
    expect(registry.requests.map(({ url }) => url)).toEqual(['/npm/evil']);
  });

  test('is linked where its tarball is, and nowhere else in it', async () => {
    const world = await open();
    const real = `${files.url}/cdn/fine/-/fine-1.0.0.tgz`;
    packument('fine', real, { config: { tarball: real }, versions_: { x: { dist: { tarball: real } } } });
    const page = await pageOf(world, 'fine');
    expect(page.tarball).toContain('/npm/-files/');
    expect(page.text.match(/-files/g)).toHaveLength(1);
    expect((await ask(page.tarball)).body).toBe('files answers');
  });

  test("is linked at the registry's own host, below another path, when it is its tarball", async () => {
    const world = await open();
    packument('fine', `${registry.url}/api/v4/projects/1/packages/npm/fine/-/fine-1.0.0.tgz`);
    const { tarball } = await pageOf(world, 'fine');
    expect((await ask(tarball)).body).toBe('registry answers');
    expect(registry.requests[1]?.headers.authorization).toBe(token);
  });
});

/** Returns the headers that a server received, except for those of the connection. */
function told({ headers }: { headers: IncomingHttpHeaders } = { headers: {} }): IncomingHttpHeaders {
  const { host: _host, connection: _connection, ...rest } = headers;
  return rest;
}

describe('a link to a file', () => {
  test.each(['npm', 'pip'])('of %s carries no word of the sandbox', async (tool) => {
    const world = await open();
    packument('fine', `${files.url}/fine-1.0.0.tgz`);
    pages.set('/simple/fine/', { type: 'text/html', body: `<a href="${files.url}/fine-1.0.0.tar.gz">fine</a>` });
    const link =
      tool === 'npm'
        ? (await pageOf(world, 'fine')).tarball
        : (/href="([^"]+)"/.exec((await ask(`${world.inside}/pip/simple/fine/`)).body)?.[1] ?? '');
    const headers = {
      accept: 'EXFIL',
      'accept-encoding': 'EXFIL',
      'user-agent': 'EXFIL',
      'if-none-match': '"EXFIL"',
      'if-modified-since': 'EXFIL',
      range: 'bytes=1-2',
      cookie: 'EXFIL',
      'content-length': '5',
    };
    expect(await ask(link, { headers, body: 'EXFIL' })).toMatchObject({ status: 200, body: 'files answers' });
    expect(told(files.requests[0])).toEqual({ 'user-agent': 'guildhall', 'accept-encoding': 'identity' });
    expect((await ask(link, { method: 'POST', headers, body: 'EXFIL' })).status).toBe(405);
    expect(files.requests).toHaveLength(1);
  });

  test('is of the registry that named it, so another one shows it no credential', async () => {
    const world = await open();
    packument('fine', `${files.url}/fine-1.0.0.tgz`);
    const { tarball } = await pageOf(world, 'fine');
    expect((await ask(tarball.replace('/npm/-files', '/pip/-files'))).status).toBe(404);
    expect((await ask(tarball.replace(String(files.port), String(registry.port)))).status).toBe(404);
    expect(files.requests).toEqual([]);
  });

  test('that is sent back to the registry brings no credential to any of its paths', async () => {
    const world = await open();
    packument('fine', `${files.url}/fine-1.0.0.tgz`);
    redirects.set('/fine-1.0.0.tgz', `${registry.url}/npm/private/-/private-1.0.0.tgz`);
    await ask((await pageOf(world, 'fine')).tarball);
    expect(registry.requests.at(-1)?.url).toBe('/npm/private/-/private-1.0.0.tgz');
    expect(registry.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  test('or page that the registry redirects shows its next host neither credential nor headers', async () => {
    const world = await open();
    redirects.set('/npm/moved', `${files.url}/moved`);
    redirects.set('/npm/fine/-/fine-1.0.0.tgz', `${registry.url}/npm/-/whoami`);
    await ask(`${world.inside}/npm/moved`, { headers: { accept: 'EXFIL', 'if-none-match': '"EXFIL"' } });
    expect(told(files.requests[0])).toEqual({ 'user-agent': 'guildhall', 'accept-encoding': 'gzip' });
    await ask(`${world.inside}/npm/fine/-/fine-1.0.0.tgz`);
    expect(registry.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/npm/moved', token],
      ['/npm/fine/-/fine-1.0.0.tgz', token],
      ['/npm/-/whoami', undefined],
    ]);
  });
});

describe('a page of an index', () => {
  test.each([
    ['another host', () => `${attacker.url}/demo-1.0.0-py3-none-any.whl`],
    ['another project', () => `${files.url}/other-1.0.0-py3-none-any.whl`],
    ['another project at the index', () => `${registry.url}/files/other-1.0.0-py3-none-any.whl`],
    ['no file', () => '/admin/users'],
    ['a question', () => '/files/demo-1.0.0.tar.gz?as=admin'],
    ['a path of two readings', () => '/files/..%2f..%2fadmin%2fdemo-1.0.0.tar.gz%3f'],
  ])('leads to %s only by its own words', async (_name, link) => {
    const world = await open();
    pages.set('/simple/demo/', { type: 'text/html', body: `<a href="${link()}">x</a>` });
    expect((await ask(`${world.inside}/pip/simple/demo/`)).body).toBe(`<a href="${link()}">x</a>`);
    const json = JSON.stringify({ files: [{ url: link(), hashes: { url: link() } }] });
    pages.set('/simple/demo/', { type: 'application/vnd.pypi.simple.v1+json', body: json });
    expect((await ask(`${world.inside}/pip/simple/demo/`)).body).toBe(json);
  });

  test("leads to the project's own files, with the credential only at the index", async () => {
    const world = await open();
    const links = ['/files/Demo.Pkg-1.0.0.tar.gz', `${files.url}/demo_pkg-1.0.0-py3-none-any.whl?signed=1`];
    pages.set('/simple/demo-pkg/', {
      type: 'application/vnd.pypi.simple.v1+json',
      body: JSON.stringify({ files: links.map((url) => ({ url })) }),
    });
    const page: unknown = JSON.parse((await ask(`${world.inside}/pip/simple/demo-pkg/`)).body);
    for (const { url } of Object(page).files) await ask(url);
    expect(registry.requests[1]?.headers.authorization).toBe(token);
    expect(files.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/demo_pkg-1.0.0-py3-none-any.whl?signed=1', undefined],
    ]);
  });
});

describe('what registries do', () => {
  const none = { npm: [], pip: [] };
  const judge = (tool: 'npm' | 'pip', url: string, name: string) => ({
    tool,
    name,
    registry: { url: new URL(url), publicFiles: 'https://public.example' },
    fileHosts: none,
  });

  test.each([
    ['https://npm.pkg.github.com', '@o/n', `https://npm.pkg.github.com/download/@o/n/1.0.0/${'a'.repeat(40)}`],
    [
      'https://gitlab.example/api/v4/packages/npm',
      '@o/n',
      'https://gitlab.example/api/v4/projects/1/packages/npm/@o/n/-/@o/n-1.0.0.tgz',
    ],
    [
      'https://pkgs.dev.azure.com/o/_packaging/f/npm/registry',
      'n',
      'https://pkgs.dev.azure.com/o/_packaging/f/npm/registry/n/-/n-1.0.0+b.tgz',
    ],
    [
      'https://art.example/artifactory/api/npm/npm',
      '@o/n',
      'https://art.example/artifactory/api/npm/npm/@o%2fn/-/n-1.0.0.tgz',
    ],
    ['https://mirror.example/npm', 'n', 'https://public.example/n/-/n-1.0.0.tgz'],
  ])('npm: %s has %s at %s', (url, name, file) => {
    expect(isFileLink(judge('npm', url, name), new URL(file))).toBe(true);
  });

  test.each([
    ['https://index.example/simple', 'six', 'https://public.example/packages/b7/ce/1/six-1.17.0-py2.py3-none-any.whl'],
    [
      'https://mirror.example/pypi/simple',
      'zope-interface',
      'https://public.example/packages/a/zope.interface-5.0.tar.gz',
    ],
    ['https://devpi.example/root/pypi/+simple', 'six', 'https://devpi.example/root/pypi/+f/abc/123/six-1.17.0.tar.gz'],
    [
      'https://gitlab.example/api/v4/projects/1/packages/pypi/simple',
      'my-lib',
      'https://gitlab.example/api/v4/projects/1/packages/pypi/files/abc/my_lib-1.0-py3-none-any.whl',
    ],
  ])('pip: %s has %s at %s', (url, name, file) => {
    expect(isFileLink(judge('pip', url, name), new URL(file))).toBe(true);
  });

  test('their own pages and files see the credential, and nothing else of theirs', () => {
    const main = { url: new URL('https://npm.example/npm') };
    const sees = (path: string): boolean => isOwnPath('npm', main, new URL(`https://npm.example${path}`));
    expect(['/npm/a', '/npm/@a%2fb', '/npm/a/1.0.0', '/npm/-/ping', '/npm/a/-/a-1.tgz'].every(sees)).toBe(true);
    expect(
      ['/a', '/npm/-/whoami', '/npm/-/npm/v1/tokens', '/admin', '/npm/a/b/c', '/npm/a%2f..%2f-/whoami'].some(sees),
    ).toBe(false);
    expect(isOwnPath('npm', main, new URL('https://other.example/npm/a'))).toBe(false);
  });
});
