import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScratch, openWorld, startPeer, type Peer, type World } from '../../../test/support/gateway.ts';
import { createLog } from '../../lib/log.ts';
import type { GatewaySession } from '../session.ts';
import { hostRegistries, npmAuthorization, parseNpmrc, pipSettings } from './registries.ts';
import type { HostRegistries } from './registries.ts';

let scratch: Awaited<ReturnType<typeof createScratch>>;
let registry: Peer;
let files: Peer;
/** The tarball URLs of packages by name. */
let tarballs: Map<string, { file: Buffer; integrity: string; url: string }>;

const pipFound = !(await execa('pip3', ['--version'], { reject: false })).failed;
const token = 'Bearer npm-token-of-the-host';

beforeEach(async () => {
  scratch = await createScratch();
  tarballs = new Map();
  registry = await scratch.closing(startPeer((request, response) => serveRegistry(request, response)));
  files = await scratch.closing(startPeer((request, response) => serveFile(request, response)));
});

afterEach(() => scratch.dispose());

/** Serves packages below `/deep/npm/` and an index below `/deep/pip/simple/`; everything requires the host's token. */
function serveRegistry(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', registry.url);
  if (request.headers.authorization !== token) return void response.writeHead(401).end('who are you');
  const page = /^\/deep\/pip\/simple\/([^/]+)\/$/.exec(url.pathname)?.[1];
  if (page !== undefined) return servePipPage(request, response, page);
  if (url.pathname === '/deep/npm/moved') return void response.writeHead(302, { location: `${files.url}/moved` }).end();
  if (url.pathname.includes('/-/')) return serveFile(request, response);
  const name = decodeURIComponent(url.pathname).replace('/deep/npm/', '');
  const found = tarballs.get(name);
  if (found === undefined) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  const dist = { tarball: found.url, integrity: found.integrity };
  const body = JSON.stringify({
    name,
    readme: `a "tarball":"${registry.url}/deep/npm/x/-/x-1.0.0.tgz" in words`,
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { name, version: '1.0.0', dist } },
  });
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip', etag: '"1"' });
  response.end(gzipSync(body));
}

function servePipPage(request: IncomingMessage, response: ServerResponse, name: string): void {
  const file = `${name}-1.0.0-py3-none-any.whl`;
  if (request.headers.accept?.includes('json') === true) {
    response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json' });
    response.end(JSON.stringify({ name, files: [{ filename: file, url: `${files.url}/${file}?a=1&b=2` }] }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html' });
  const digest = createHash('sha256')
    .update(tarballs.get(name)?.file ?? '')
    .digest('hex');
  response.end(
    `<html><body><a href="${files.url}/${file}#sha256=${digest}" data-requires-python="&gt;=3.7">${file}</a>` +
      `<a class='x' href='../../packages/${name}-0.1+x.zip#sha256=&amp;'>old</a><a href="mailto:x@y.z">x</a></body></html>`,
  );
}

function serveFile(request: IncomingMessage, response: ServerResponse): void {
  const path = decodeURIComponent(new URL(request.url ?? '/', files.url).pathname);
  const found = [...tarballs].find(([name, { url }]) => new URL(url).pathname === path || path.startsWith(`/${name}-`));
  if (found === undefined) response.writeHead(404).end('no such file');
  else response.end(found[1].file);
}

/** Publishes a real package made by `npm pack`, with its tarball's URL below `base`. */
async function publish(name: string, base: string): Promise<void> {
  const work = join(scratch.path, 'package', name);
  await mkdir(work, { recursive: true });
  await writeFile(join(work, 'package.json'), JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
  await writeFile(join(work, 'index.js'), `module.exports = ${JSON.stringify(name)};\n`);
  await execa('npm', ['pack', '--silent', '--pack-destination', work], { cwd: work });
  const plain = name.replace('@', '').replace('/', '-');
  const file = await readFile(join(work, `${plain}-1.0.0.tgz`));
  const short = name.replace(/.*\//, '');
  tarballs.set(name, {
    file,
    integrity: `sha512-${createHash('sha512').update(file).digest('base64')}`,
    url: `${base}/${name}/-/${short}-1.0.0.tgz`,
  });
}

function configured(isDefault = false): HostRegistries {
  const npm = { url: new URL(`${registry.url}/deep/npm`), authorization: token };
  return {
    npm: { main: npm, scopes: new Map(), isDefault },
    pip: { url: new URL(`${registry.url}/deep/pip/simple`), authorization: token },
  };
}

function open(session: Partial<GatewaySession> = {}, options: Partial<Parameters<typeof openWorld>[0]> = {}) {
  const egressAllow = [{ purpose: 'http', target: `127.0.0.1:${files.port}` }] as const;
  return scratch.closing(
    openWorld(
      {
        directory: join(scratch.path, 'doors'),
        registries: async () => configured(),
        registryFiles: { npm: [`127.0.0.1:${files.port}`], pip: [`127.0.0.1:${files.port}`] },
        egressAllow,
        ...options,
      },
      { network: 'registries', ...session },
    ),
  );
}

async function run(world: World, command: string[], cwd: string, more: Record<string, string> = {}) {
  const home = join(scratch.path, 'home');
  await mkdir(home, { recursive: true });
  const [file = '', ...args] = command;
  const environment = await world.endpoint.environment(world.inside);
  return execa(file, args, {
    cwd,
    extendEnv: false,
    reject: false,
    all: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      npm_config_cache: join(home, 'cache'),
      npm_config_globalconfig: '/dev/null',
      HTTP_PROXY: world.inside,
      HTTPS_PROXY: world.inside,
      NO_PROXY: '127.0.0.1,localhost',
      PIP_CONFIG_FILE: '/dev/null',
      ...environment,
      ...more,
    },
  });
}

async function project(dependencies: Record<string, string>): Promise<string> {
  const path = join(scratch.path, 'project');
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0', dependencies }));
  return path;
}

describe('npm', () => {
  test('installs plain and scoped packages, keeps the true address in the lockfile, and installs from it again', async () => {
    await publish('plain', `${registry.url}/deep/npm`);
    await publish('@corp/scoped', `${registry.url}/deep/npm`);
    await publish('elsewhere', `${files.url}/cdn`);
    const world = await open();
    const path = await project({ plain: '1.0.0', '@corp/scoped': '^1.0.0', elsewhere: '1.0.0' });
    const installed = await run(world, ['npm', 'install'], path);
    expect([installed.exitCode, installed.all]).toEqual([0, expect.stringContaining('added 3 packages')]);
    const lock = await readFile(join(path, 'package-lock.json'), 'utf8');
    expect(lock).toContain(`"resolved": "${registry.url}/deep/npm/plain/-/plain-1.0.0.tgz"`);
    const again = await run(world, ['npm', 'ci', '--prefer-online'], path, {
      npm_config_cache: join(scratch.path, 'cache-2'),
    });
    expect([again.exitCode, again.all]).toEqual([0, expect.stringContaining('added 3 packages')]);
    expect(await readFile(join(path, 'node_modules/@corp/scoped/index.js'), 'utf8')).toContain('@corp/scoped');
    expect(files.requests.every((request) => request.headers.authorization === undefined)).toBe(true);
    expect(JSON.stringify(await world.endpoint.environment(world.inside))).not.toContain('npm-token');
  }, 60_000);

  test('a client that is not npm is led back by the links themselves', async () => {
    await publish('plain', `${registry.url}/deep/npm`);
    await publish('elsewhere', `${files.url}/cdn`);
    const world = await open();
    const ask = async (name: string): Promise<string> => {
      const answer = await fetch(`${world.inside}/npm/${name}`);
      const text = await answer.text();
      expect(answer.headers.get('etag')).toBe('"1"');
      return /[^\\]"tarball":"([^"]+)"/.exec(text)?.[1] ?? '';
    };
    expect(await ask('plain')).toBe(`${world.inside}/npm/plain/-/plain-1.0.0.tgz`);
    const elsewhere = await ask('elsewhere');
    expect(elsewhere).toMatch(
      /\/npm\/-files\/[\w-]{22}\/http\/127\.0\.0\.1:\d+\/cdn\/elsewhere\/-\/elsewhere-1\.0\.0\.tgz$/,
    );
    for (const link of [await ask('plain'), elsewhere])
      expect(
        Buffer.from(await (await fetch(link)).arrayBuffer())
          .subarray(0, 2)
          .toString('hex'),
      ).toBe('1f8b');
  });

  test('the name of the registry is looked up once for many packages', async () => {
    await publish('plain', `${registry.url}/deep/npm`);
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const main = { url: new URL(`http://registry.test:${registry.port}/deep/npm`), authorization: token };
    const registries = async () => ({ npm: { main, scopes: new Map(), isDefault: false } });
    const world = await open({}, { registries, lookup });
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await fetch(`${world.inside}/npm/plain`)).status),
    );
    expect([new Set(statuses), asked]).toEqual([new Set([200]), ['registry.test']]);
  });

  test('words that look like a link stay as they are', async () => {
    await publish('plain', `${registry.url}/deep/npm`);
    const world = await open();
    const answer: unknown = await (await fetch(`${world.inside}/npm/plain`)).json();
    expect(answer).toHaveProperty('readme', `a "tarball":"${registry.url}/deep/npm/x/-/x-1.0.0.tgz" in words`);
  });

  test('a file link that no page named is refused', async () => {
    const world = await open();
    for (const target of [
      `127.0.0.1:${files.port}/cdn/a.tgz`,
      '169.254.169.254/latest',
      `127.0.0.1:${registry.port}/deep/npm/x`,
    ])
      expect((await fetch(`${world.inside}/npm/-files/${'A'.repeat(22)}/http/${target}`)).status).toBe(404);
    expect([files.requests.length, registry.requests.length]).toEqual([0, 0]);
  });

  test('a page cannot lead to a private address', async () => {
    await publish('evil', `${files.url}/cdn`);
    const world = await open({}, { egressAllow: [] });
    const text = await (await fetch(`${world.inside}/npm/evil`)).text();
    const link = /[^\\]"tarball":"([^"]+)"/.exec(text)?.[1] ?? '';
    const answer = await fetch(link);
    expect([answer.status, answer.headers.get('x-guildhall-refused')]).toEqual([403, 'private_address']);
    expect(files.requests).toHaveLength(0);
  });

  test('nor can a redirect, and the token does not follow one', async () => {
    const closed = await open({}, { egressAllow: [] });
    expect((await fetch(`${closed.inside}/npm/moved`)).status).toBe(403);
    expect(files.requests).toHaveLength(0);
    const opened = await open(
      {},
      {
        directory: join(scratch.path, 'opened'),
        egressAllow: [{ purpose: 'http', target: `127.0.0.1:${files.port}` }],
      },
    );
    expect((await fetch(`${opened.inside}/npm/moved`)).status).toBe(404);
    expect(files.requests.map((request) => request.headers.authorization)).toEqual([undefined]);
  });

  test.each([
    ['GET', '/npm/-/whoami', 404],
    ['GET', '/npm/-/npm/v1/tokens', 404],
    ['GET', '/npm/-/npm/v1/user', 404],
    ['GET', '/npm/-/user/org.couchdb.user:x', 404],
    ['GET', '/npm/a/b/c', 404],
    ['GET', '/npm/..%2f..%2fadmin', 404],
    ['GET', '/npm/@a%2f..%2f..%2fadmin', 404],
    ['GET', '/npm/x/-/..%2f..%2fadmin.tgz', 404],
    ['GET', '/npm/%2e%2e/admin', 404],
    ['GET', '/pip/simple/..%2fadmin/', 404],
    ['GET', '/pip/other', 404],
    ['PUT', '/npm/plain', 405],
    ['POST', '/npm/-/npm/v1/security/audits', 405],
    ['DELETE', '/npm/plain/-rev/1', 405],
  ])('%s %s is refused with %d', async (method, path, status) => {
    const world = await open();
    const answer = await fetch(world.inside + path, { method });
    expect([answer.status, registry.requests.length]).toEqual([status, 0]);
    expect(answer.headers.get('x-guildhall-refused') ?? 'none').toMatch(/registry|none/);
  });

  test('has no network, no registry', async () => {
    const none = await open({ network: 'none' });
    expect((await fetch(`${none.inside}/npm/plain`)).status).toBe(403);
    const without = await open({}, { directory: join(scratch.path, 'without'), registries: async () => ({}) });
    expect((await fetch(`${without.inside}/npm/plain`)).status).toBe(404);
    expect(await without.endpoint.environment(without.inside)).not.toHaveProperty('npm_config_registry');
  });

  test('a registry that refuses the host says so in our words', async () => {
    const { npm } = configured();
    const world = await open(
      {},
      {
        registries: async () => (npm === undefined ? {} : { npm: { ...npm, main: { url: npm.main.url } } }),
      },
    );
    const answer = await fetch(`${world.inside}/npm/plain`);
    expect([answer.status, await answer.text()]).toEqual([
      403,
      "The package registry rejected this host's credentials or the package (401).\n",
    ]);
  });
});

describe('pip', () => {
  test('links of a page lead back, checksums and other attributes stay', async () => {
    const world = await open();
    const page = await (await fetch(`${world.inside}/pip/simple/demo/`)).text();
    const links = [...page.matchAll(/href=["']([^"']*)["']/g)].map((match) => match[1] ?? '');
    expect(links[0]).toMatch(
      /\/pip\/-files\/[\w-]{22}\/http\/127\.0\.0\.1:\d+\/demo-1\.0\.0-py3-none-any\.whl#sha256=[0-9a-f]{64}$/,
    );
    expect(links[1]).toMatch(/\/pip\/-files\/[^"]+\/deep\/pip\/packages\/demo-0\.1\+x\.zip#sha256=&amp;$/);
    expect(links[2]).toBe('mailto:x@y.z');
    expect(page).toContain('data-requires-python="&gt;=3.7"');
    const json = await fetch(`${world.inside}/pip/simple/demo/`, {
      headers: { accept: 'application/vnd.pypi.simple.v1+json' },
    });
    expect(await json.text()).toMatch(/"url":"http:\/\/127[^"]+\/pip\/-files\/[^"]+\.whl\?a=1&b=2"/);
  });

  test('files and their metadata are had by those links only', async () => {
    tarballs.set('demo', { file: Buffer.from('wheel'), integrity: '', url: `${files.url}/x` });
    const world = await open();
    const page = await (await fetch(`${world.inside}/pip/simple/demo/`)).text();
    const link = (/href="([^"#]*)/.exec(page)?.[1] ?? '').replace(/#.*/, '');
    expect(await (await fetch(link)).text()).toBe('wheel');
    expect(await (await fetch(`${link}.metadata`)).text()).toBe('wheel');
    expect((await fetch(`${link}.other`)).status).toBe(404);
    expect((await fetch(`${link}?x=1`)).status).toBe(404);
    expect((await fetch(link.replace('/pip/', '/npm/'))).status).toBe(404);
    expect(files.requests.map((request) => request.url)).toEqual([
      '/demo-1.0.0-py3-none-any.whl',
      '/demo-1.0.0-py3-none-any.whl.metadata',
    ]);
  });

  test('installs a wheel (optional)', async (context) => {
    if (!pipFound) context.skip('needs pip3');
    const made = await wheel('demo');
    tarballs.set('demo', { file: made, integrity: '', url: `${files.url}/x` });
    const world = await open();
    const target = join(scratch.path, 'site');
    const installed = await run(
      world,
      ['pip3', 'install', '--no-cache-dir', '--target', target, 'demo'],
      scratch.path,
      {
        HOME: process.env['HOME'] ?? '/root',
      },
    );
    expect([installed.exitCode, installed.all]).toEqual([
      0,
      expect.stringContaining('Successfully installed demo-1.0.0'),
    ]);
    expect(await readFile(join(target, 'demo.py'), 'utf8')).toBe('name = "demo"\n');
  }, 60_000);
});

/** Creates the smallest wheel: one module and its metadata, zipped by Python. */
async function wheel(name: string): Promise<Buffer> {
  const path = join(scratch.path, `${name}.whl`);
  const script = `
import sys, zipfile
name, path = sys.argv[1:]
info = f"{name}-1.0.0.dist-info"
with zipfile.ZipFile(path, "w") as archive:
    archive.writestr(f"{name}.py", f'name = "{name}"\\n')
    archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0.0\\n")
    archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    archive.writestr(f"{info}/RECORD", "")
`;
  await execa('python3', ['-c', script, name, path]);
  return readFile(path);
}

describe('what the host is configured for', () => {
  test('an npmrc file is read as npm reads it', () => {
    const text = [
      '; a comment',
      '# another',
      '//registry.example/:_authToken=${TOKEN}',
      ' @corp:registry = "https://corp.example/npm/" ',
      '//corp.example/npm/:username=${MISSING?}me',
      "//corp.example/npm/:_password='cGFzcw=='",
      '//other.example/:_authToken=${MISSING}',
      'nonsense',
    ].join('\r\n');
    expect(parseNpmrc(text, { TOKEN: 't' })).toEqual([
      ['//registry.example/:_authToken', 't'],
      ['@corp:registry', 'https://corp.example/npm/'],
      ['//corp.example/npm/:username', 'me'],
      ['//corp.example/npm/:_password', 'cGFzcw=='],
      ['//other.example/:_authToken', '${MISSING}'],
    ]);
  });

  test('credentials belong to a host and the longest path on it', () => {
    const credentials = new Map([
      ['//a.example/:_authToken', 'outer'],
      ['//a.example/deep/npm/:_authToken', 'inner'],
      ['//b.example/:_auth', 'dTpw'],
      ['//c.example:8443/npm/:username', 'u'],
      ['//c.example:8443/npm/:_password', 'cGFzcw=='],
    ]);
    const of = (url: string) => npmAuthorization(new URL(url), credentials);
    expect(of('https://a.example/deep/npm')).toBe('Bearer inner');
    expect(of('https://a.example/deep')).toBe('Bearer outer');
    expect(of('https://a.example')).toBe('Bearer outer');
    expect(of('https://b.example/x')).toBe('Basic dTpw');
    expect(of('https://c.example:8443/npm')).toBe(`Basic ${Buffer.from('u:pass').toString('base64')}`);
    expect(of('https://c.example/npm')).toBeUndefined();
    expect(of('https://evil-a.example/')).toBeUndefined();
  });

  test('pip settings: the environment before install before global', () => {
    const listed =
      ":env:.cert='/c'\nglobal.index-url='https://g/simple'\ninstall.index-url='https://i/simple'\nglobal.cert='/g'";
    expect([...pipSettings(listed)]).toEqual([
      ['index-url', 'https://i/simple'],
      ['cert', '/c'],
    ]);
  });

  test('the tools themselves are asked', async () => {
    const home = join(scratch.path, 'home');
    await mkdir(home, { recursive: true });
    await writeFile(
      join(home, '.npmrc'),
      'registry=https://user:pass@npm.example/deep/\n@corp:registry=https://corp.example/\n//corp.example/:_authToken=${T}\n',
    );
    const environment = {
      PATH: process.env['PATH'],
      HOME: home,
      T: 'secret',
      PIP_INDEX_URL: 'https://u:p@pip.example/root/simple/',
    };
    let found = await hostRegistries({ log: createLog('silent'), environment });
    // On a busy machine they may take longer than the worker waits.
    for (let more = 5; more > 0 && found.unread !== undefined; more -= 1)
      found = await hostRegistries({ log: createLog('silent'), environment });
    expect(found.npm?.main.url.href).toBe('https://npm.example/deep');
    expect(found.npm?.main.authorization).toBe(`Basic ${Buffer.from('user:pass').toString('base64')}`);
    expect(found.npm?.isDefault).toBe(false);
    expect(found.npm?.scopes.get('@corp')).toMatchObject({ authorization: 'Bearer secret' });
    expect(found.pip?.url.href).toBe('https://pip.example/root/simple');
    expect(found.pip?.authorization).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`);
  });

  test('what cannot be found is left out', async () => {
    const environment = { PATH: '/nonexistent', HOME: scratch.path };
    expect(await hostRegistries({ log: createLog('silent'), environment })).toEqual({});
  });

  test("network: npm installs a package from the host's own registry through the gateway", async () => {
    const registries = () => hostRegistries({ log: createLog('silent'), environment: process.env });
    const world = await open({}, { registries, egressAllow: [], lookup: undefined });
    const path = await project({ 'is-number': '7.0.0' });
    const installed = await run(world, ['npm', 'install'], path);
    expect([installed.exitCode, installed.all]).toEqual([0, expect.stringContaining('added 1 package')]);
    expect(await readFile(join(path, 'node_modules/is-number/package.json'), 'utf8')).toContain('"7.0.0"');
    expect(await readFile(join(path, 'package-lock.json'), 'utf8')).not.toContain(world.inside);
  }, 60_000);
});
