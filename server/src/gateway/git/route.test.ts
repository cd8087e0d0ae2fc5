import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodePkt, flushPkt } from '../../git/pkt-line.ts';
import {
  createScratch,
  identity,
  noise,
  openWorld,
  startGitHost,
  startPeer,
  type GitHost,
  type World,
} from '../../../test/support/gateway.ts';
import type { GatewayRepository, GatewaySession } from '../session.ts';

const authorization = `Basic ${Buffer.from('robot:hunter2').toString('base64')}`;
const branch = 'guildhall/ses_1';
let scratch: Awaited<ReturnType<typeof createScratch>>;
let host: GitHost;
let main: string;

beforeEach(async () => {
  scratch = await createScratch();
  host = await scratch.closing(startGitHost(join(scratch.path, 'host'), { authorization }));
  await host.createRepository('group/sub/app');
  await host.createRepository('group/other');
  main = await seed(join(host.root, 'group/sub/app.git'));
});

afterEach(() => scratch.dispose());

async function seed(bare: string): Promise<string> {
  const work = join(scratch.path, 'seed');
  const git = (...args: string[]) => execa('git', args, { cwd: work, env: identity });
  await execa('git', ['init', '-q', '-b', 'main', work]);
  await writeFile(join(work, 'a.txt'), 'one\n');
  await git('add', '.');
  await git('commit', '-qm', 'one');
  await git('push', '-q', bare, 'main');
  await git('push', '-q', bare, 'main:refs/heads/release');
  return (await git('rev-parse', 'HEAD')).stdout;
}

function repository(more: Partial<GatewayRepository> = {}): GatewayRepository {
  return {
    provider: 'local',
    repo: 'group/sub/app',
    remoteUrl: `${host.url}/group/sub/app.git`,
    authorization: () => Promise.resolve(authorization),
    exempt: true,
    ...more,
  };
}

function open(session: Partial<GatewaySession> = {}, options: Partial<Parameters<typeof openWorld>[0]> = {}) {
  return scratch.closing(
    openWorld(
      { directory: join(scratch.path, 'doors'), ...options },
      { repositories: [repository({ push: { branch } })], ...session },
    ),
  );
}

/** Runs git as in a sandbox: without the host's configuration and credentials, with the proxy variables. */
async function inSandbox(world: World) {
  const home = join(scratch.path, 'home');
  await mkdir(home, { recursive: true });
  const environment = await world.endpoint.environment(world.inside);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    http_proxy: world.inside,
    ...identity,
    ...environment,
  };
  return (args: readonly string[], more: { cwd?: string } = {}) =>
    execa('git', args, { env, extendEnv: false, reject: false, cwd: more.cwd ?? scratch.path });
}

async function cloneAndCommit(world: World) {
  const git = await inSandbox(world);
  const work = join(scratch.path, 'work');
  const cloned = await git(['clone', '-q', `${host.url}/group/sub/app.git`, work]);
  expect(cloned.stderr).toBe('');
  await writeFile(join(work, 'b.txt'), 'two\n');
  await git(['add', '.'], { cwd: work });
  await git(['commit', '-qm', 'two'], { cwd: work });
  const commit = (await git(['rev-parse', 'HEAD'], { cwd: work })).stdout;
  return { work, commit, git: (...args: string[]) => git(args, { cwd: work }) };
}

async function refs(): Promise<string[]> {
  const shown = await execa('git', ['for-each-ref', '--format=%(refname) %(objectname)'], {
    cwd: join(host.root, 'group/sub/app.git'),
  });
  return shown.stdout.split('\n').sort();
}

const untouched = () => [`refs/heads/main ${main}`, `refs/heads/release ${main}`];

describe('fetching', () => {
  test('a repository is cloned by its own address with no credential in the sandbox', async () => {
    const world = await open();
    const { work } = await cloneAndCommit(world);
    expect(await readFile(join(work, 'a.txt'), 'utf8')).toBe('one\n');
    expect(JSON.stringify(await world.endpoint.environment(world.inside))).not.toMatch(/hunter2|cm9ib3Q/);
    expect(host.requests.every((request) => request.headers.authorization === authorization)).toBe(true);
    expect(host.requests[0]?.headers['git-protocol']).toBe('version=2');
  });

  test('a user and password in the remote URL work and stay outside', async () => {
    const remoteUrl = `${host.url.replace('//', '//robot:hunter2@')}/group/sub/app.git`;
    const world = await open({
      repositories: [repository({ remoteUrl, authorization: () => Promise.resolve(undefined) })],
    });
    const git = await inSandbox(world);
    expect((await git(['ls-remote', `${host.url}/group/sub/app.git`])).stdout).toContain(main);
    expect(JSON.stringify(await world.endpoint.environment(world.inside))).not.toContain('hunter2');
  });

  test('another repository, another provider and files beside it are not there', async () => {
    const world = await open();
    const git = await inSandbox(world);
    for (const path of [
      'local/group/other.git',
      'github/group/sub/app.git',
      'local/group/sub/app.git/../../other.git',
    ]) {
      const answer = await git(['ls-remote', `${world.inside}/git/${path}`]);
      expect(answer.exitCode).toBe(128);
      expect(answer.stderr).toContain('not found');
    }
    for (const path of ['HEAD', 'objects/info/packs', 'config', 'info/lfs/objects/batch', 'info/refs'])
      expect((await fetch(`${world.inside}/git/local/group/sub/app.git/${path}`)).status).toBeGreaterThan(402);
    expect(host.requests).toHaveLength(0);
    expect(world.events.map((event) => event.kind === 'refused' && event.reason)).toContain('git_repository');
  });

  test('large fetch requests arrive although they are compressed', async () => {
    const work = join(scratch.path, 'seed');
    const world = await open();
    const git = await inSandbox(world);
    for (let index = 0; index < 40; index += 1) {
      const made = await execa('git', ['commit-tree', '-p', main, '-m', `${index}`, `${main}^{tree}`], {
        cwd: work,
        env: identity,
      });
      await execa('git', ['branch', `b${index}`, made.stdout], { cwd: work });
    }
    await execa('git', ['push', '-q', join(host.root, 'group/sub/app.git'), '--all'], { cwd: work });
    const cloned = await git(['clone', '-q', `${host.url}/group/sub/app.git`, join(scratch.path, 'many')]);
    expect(cloned.exitCode).toBe(0);
    expect(host.requests.map((request) => request.headers['content-encoding'])).toContain('gzip');
  });

  test("the host's own words and redirects do not reach the sandbox", async () => {
    const peer = await scratch.closing(
      startPeer((request, response) => {
        const status = Number(/status-(\d+)/.exec(request.url ?? '')?.[1] ?? 200);
        response.writeHead(status, { location: 'http://169.254.169.254/token', 'www-authenticate': 'Basic realm="x"' });
        response.end('<html>hunter2</html>');
      }),
    );
    const statuses = [200, 301, 302, 307, 401, 403, 404, 500, 503];
    const world = await open({
      repositories: statuses.map((status) =>
        repository({ repo: `o/status-${status}`, remoteUrl: `${peer.url}/status-${status}.git` }),
      ),
    });
    const seen: number[] = [];
    for (const status of statuses) {
      const answer = await fetch(`${world.inside}/git/local/o/status-${status}.git/info/refs?service=git-upload-pack`, {
        redirect: 'manual',
      });
      expect(await answer.text()).not.toMatch(/hunter2|169\.254/);
      expect([...answer.headers.keys()]).not.toContain('location');
      expect([...answer.headers.keys()]).not.toContain('www-authenticate');
      seen.push(answer.status);
    }
    expect(seen).toEqual([502, 502, 502, 502, 403, 403, 404, 500, 503]);
    expect(peer.requests).toHaveLength(statuses.length);
  });

  test('a remote on a private address is reached only when it is exempt or opened for git', async () => {
    const url = '/git/local/group/sub/app.git/info/refs?service=git-upload-pack';
    const repositories = [repository({ exempt: false })];
    const closed = await open({ repositories });
    const answer = await fetch(closed.inside + url);
    expect([answer.status, answer.headers.get('x-guildhall-refused')]).toEqual([403, 'private_address']);
    expect(host.requests).toHaveLength(0);
    const directory = join(scratch.path, 'opened');
    const opened = await open(
      { repositories },
      { directory, egressAllow: [{ purpose: 'git', target: `127.0.0.1:${host.port}` }] },
    );
    expect((await fetch(opened.inside + url)).status).toBe(200);
  });

  test('credentials that cannot be had are a plain failure', async () => {
    const failing = repository({ authorization: () => Promise.reject(new Error('token hunter2 expired')) });
    const world = await open({ repositories: [failing] });
    const answer = await fetch(`${world.inside}/git/local/group/sub/app.git/info/refs?service=git-upload-pack`);
    expect(answer.status).toBe(502);
    expect(await answer.text()).toBe('local/group/sub/app could not be reached, or the connection broke.\n');
  });
});

describe('pushing', () => {
  test("the session's branch is pushed, and known the moment git is done", async () => {
    const world = await open();
    const { git, commit } = await cloneAndCommit(world);
    const pushed = await git('push', 'origin', `HEAD:refs/heads/${branch}`);
    expect(pushed.exitCode).toBe(0);
    const ref = { provider: 'local', repo: 'group/sub/app', ref: `refs/heads/${branch}`, commit };
    expect(world.endpoint.refsPushed).toEqual([ref]);
    expect(world.events).toEqual([{ kind: 'git_push', ...ref }]);
    expect(await refs()).toEqual([`refs/heads/${branch} ${commit}`, ...untouched()]);
  });

  const forbidden: [name: string, args: string[], reason: string][] = [
    ['the default branch', ['HEAD:refs/heads/main'], 'this session may push only refs/heads/guildhall/ses_1'],
    ['another branch', ['HEAD:refs/heads/guildhall/ses_2'], 'this session may push only refs/heads/guildhall/ses_1'],
    ['a tag', ['HEAD:refs/tags/v1'], 'this session may push only refs/heads/guildhall/ses_1'],
    ['its own and another branch', [`HEAD:refs/heads/${branch}`, 'HEAD:refs/heads/x'], 'only refs/heads/guildhall'],
    ['a deletion of another branch', [':refs/heads/release'], 'this session may push only refs/heads/guildhall/ses_1'],
    ['a mirror', ['--mirror'], 'this session may push only refs/heads/guildhall/ses_1'],
    ['push options', ['-o', 'merge_request.create', `HEAD:refs/heads/${branch}`], 'push options are not accepted'],
  ];
  test.each(forbidden)('%s is refused with a reason that git prints', async (_name, args, reason) => {
    const world = await open();
    const { git } = await cloneAndCommit(world);
    const flags = args.filter((arg) => arg.startsWith('-') || arg.startsWith('merge_request'));
    const pushed = await git('push', ...flags, 'origin', ...args.filter((arg) => !flags.includes(arg)));
    expect(pushed.exitCode).toBe(1);
    expect(pushed.stderr).toContain(`[remote rejected]`);
    expect(pushed.stderr).toContain(reason);
    expect(await refs()).toEqual(untouched());
    expect(world.endpoint.refsPushed).toEqual([]);
    expect(world.events).toMatchObject([{ kind: 'refused', reason: 'git_policy', target: 'local/group/sub/app' }]);
  });

  test("a deletion of the session's own branch is refused", async () => {
    const world = await open();
    const { git, commit } = await cloneAndCommit(world);
    await git('push', 'origin', `HEAD:refs/heads/${branch}`);
    const deleted = await git('push', 'origin', `:refs/heads/${branch}`);
    expect(deleted.stderr).toContain('must not be deleted');
    expect(await refs()).toEqual([`refs/heads/${branch} ${commit}`, ...untouched()]);
  });

  test('the right to push is none, then one commit, then any, then none again', async () => {
    const world = await open({ repositories: [repository()] });
    const { git, commit } = await cloneAndCommit(world);
    const push = (source: string) => git('push', '-f', 'origin', `${source}:refs/heads/${branch}`);
    const name = { provider: 'local', repo: 'group/sub/app' };
    expect((await push('HEAD')).stderr).toContain('remote: This session may not push to local/group/sub/app.');
    world.endpoint.setPush(name, { branch, commit });
    expect((await push(main)).stderr).toContain(`may only be set to ${commit}`);
    expect((await push('HEAD')).exitCode).toBe(0);
    world.endpoint.setPush(name, { branch });
    expect((await push(main)).exitCode).toBe(0);
    world.endpoint.setPush(name, undefined);
    expect((await push('HEAD')).exitCode).toBe(128);
    expect(await refs()).toEqual([`refs/heads/${branch} ${main}`, ...untouched()]);
    expect(world.endpoint.refsPushed.map((ref) => ref.commit)).toEqual([commit, main]);
    expect(() => world.endpoint.setPush({ provider: 'local', repo: 'group/other' }, { branch })).toThrow(
      'no repository',
    );
  });

  test('a push above the post buffer sends its probe first and arrives whole', async () => {
    const world = await open();
    const { git, work } = await cloneAndCommit(world);
    await writeFile(join(work, 'big.bin'), noise(6 * 1024 * 1024));
    await git('add', '.');
    await git('commit', '-qm', 'big');
    host.requests.length = 0;
    const pushed = await git('push', 'origin', `HEAD:refs/heads/${branch}`);
    expect(pushed.exitCode).toBe(0);
    const posts = host.requests.filter((request) => request.method === 'POST');
    expect(posts.map((request) => request.headers['transfer-encoding'] ?? 'whole')).toEqual(['whole', 'chunked']);
    expect(world.endpoint.refsPushed).toHaveLength(1);
    const refused = await git('push', 'origin', 'HEAD:refs/heads/main');
    expect(refused.stderr).toContain('this session may push only refs/heads/guildhall/ses_1');
    expect(await refs()).toContain(`refs/heads/main ${main}`);
  });

  test('what the remote itself refuses is passed on and not counted', async () => {
    const world = await open();
    const { git } = await cloneAndCommit(world);
    const hook = join(host.root, 'group/sub/app.git/hooks/pre-receive');
    await writeFile(hook, '#!/bin/sh\necho no luck today >&2\nexit 1\n', { mode: 0o755 });
    const pushed = await git('push', 'origin', `HEAD:refs/heads/${branch}`);
    expect(pushed.exitCode).toBe(1);
    expect(pushed.stderr).toContain('remote: no luck today');
    expect(world.endpoint.refsPushed).toEqual([]);
    expect(await refs()).toEqual(untouched());
  });
});

describe('the wire', () => {
  const zero = '0'.repeat(40);
  const path = '/git/local/group/sub/app.git/git-receive-pack';
  const post = (world: World, body: Buffer, headers: Record<string, string> = {}) =>
    fetch(world.inside + path, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/x-git-receive-pack-request', ...headers },
    });
  const command = (ref: string, capabilities = 'report-status') => encodePkt(`${zero} ${main} ${ref}\0${capabilities}`);

  test('commands in a compressed body are judged', async () => {
    const world = await open();
    const body = gzipSync(Buffer.concat([command('refs/heads/main'), flushPkt, Buffer.from('PACK')]));
    const answer = await post(world, body, { 'content-encoding': 'gzip' });
    expect(await answer.text()).toContain('ng refs/heads/main this session may push only refs/heads/guildhall/ses_1');
    expect(host.requests).toHaveLength(0);
  });

  test('an allowed compressed push arrives decoded', async () => {
    const world = await open();
    const { work, git, commit } = await cloneAndCommit(world);
    const pack = await execa('git', ['pack-objects', '--stdout', '--revs'], {
      cwd: work,
      input: `${commit}\n^${main}\n`,
      encoding: 'buffer',
    });
    const line = encodePkt(`${zero} ${commit} refs/heads/${branch}\0report-status`);
    const body = gzipSync(Buffer.concat([line, flushPkt, pack.stdout]));
    const answer = await post(world, body, { 'content-encoding': 'gzip' });
    expect(await answer.text()).toContain(`ok refs/heads/${branch}`);
    expect((await git('ls-remote', 'origin', branch)).stdout).toContain(commit);
    expect(world.endpoint.refsPushed).toHaveLength(1);
  });

  test.each([
    [
      'a push certificate',
      [encodePkt('push-cert\0report-status'), encodePkt('x'), encodePkt('push-cert-end\n'), flushPkt],
    ],
    ['a command that is none', [encodePkt('hello'), flushPkt]],
    ['no packet at all', [Buffer.from('zzzz')]],
    ['a delimiter among the commands', [Buffer.from('0001'), flushPkt]],
    ['commands without an end', [encodePkt(`${zero} ${zero} refs/heads/${branch}`)]],
    ['an empty body', []],
  ])('%s is refused', async (_name, packets) => {
    const world = await open();
    const answer = await post(world, Buffer.concat(packets));
    expect([answer.status, host.requests.length]).toEqual([400, 0]);
    expect(await answer.text()).toMatch(/Invalid push request/);
  });

  test('an unknown encoding and broken gzip are refused', async () => {
    const world = await open();
    expect((await post(world, Buffer.from('x'), { 'content-encoding': 'br' })).status).toBe(415);
    expect((await post(world, Buffer.from('not gzip'), { 'content-encoding': 'gzip' })).status).toBeGreaterThan(399);
    expect(host.requests).toHaveLength(0);
  });

  test('a push that asks for no report is refused, because nobody would know of it', async () => {
    const world = await open();
    const answer = await post(world, Buffer.concat([command(`refs/heads/${branch}`, 'atomic'), flushPkt]));
    expect([answer.status, host.requests.length]).toEqual([403, 0]);
    expect(await answer.text()).toBe('Push rejected: a push must request a status report (report-status).\n');
  });

  test('the empty probe passes', async () => {
    const world = await open();
    const answer = await post(world, flushPkt);
    expect([answer.status, host.requests.length]).toEqual([200, 1]);
  });
});

describe('a lost lease', () => {
  test('refuses every call with a clear message', async () => {
    const world = await open({ holds: () => Promise.resolve(false) });
    const answer = await fetch(`${world.inside}/git/local/group/sub/app.git/info/refs?service=git-upload-pack`);
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('has lost its lease');
    const git = await inSandbox(world);
    expect((await git(['ls-remote', `${host.url}/group/sub/app.git`])).stderr).toContain('has lost its lease');
    expect(host.requests).toHaveLength(0);
  });

  test('in the middle of a push changes no ref', async () => {
    let holding = true;
    const world = await open({ holds: () => Promise.resolve(holding) });
    const { git, work } = await cloneAndCommit(world);
    await writeFile(join(work, 'big.bin'), noise(3 * 1024 * 1024));
    await git('add', '.');
    await git('commit', '-qm', 'big');
    const { stdout: pack } = await execa('git', ['pack-objects', '--stdout', '--revs'], {
      cwd: work,
      input: `HEAD\n^${main}\n`,
      encoding: 'buffer',
    });
    const commit = (await git('rev-parse', 'HEAD')).stdout;
    const answered = Promise.withResolvers<IncomingMessage>();
    const post = httpRequest(`${world.inside}/git/local/group/sub/app.git/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    });
    post.on('response', (response) => answered.resolve(response));
    post.on('error', (error) => answered.reject(error));
    const line = `${'0'.repeat(40)} ${commit} refs/heads/${branch}\0report-status`;
    host.requests.length = 0;
    post.write(Buffer.concat([encodePkt(line), flushPkt, pack.subarray(0, pack.length - 10)]));
    await expect.poll(() => host.requests.length).toBe(1);
    holding = false;
    post.end(pack.subarray(pack.length - 10));
    const response = await answered.promise;
    response.resume();
    expect(response.statusCode).toBe(409);
    await expect.poll(() => host.sockets.size).toBe(0);
    expect(await refs()).toEqual(untouched());
    expect(world.endpoint.refsPushed).toEqual([]);
  });
});

describe("the worker's own git", () => {
  test('fetches and pushes under the same policy', async () => {
    let holding = true;
    const world = await open({ holds: () => Promise.resolve(holding) });
    const { work, commit } = await cloneAndCommit(world);
    const remote = world.endpoint.hostRemote({ provider: 'local', repo: 'group/sub/app' });
    const git = (...args: string[]) =>
      execa('git', args, {
        cwd: work,
        reject: false,
        extendEnv: false,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: scratch.path,
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: 'http.extraHeader',
          GIT_CONFIG_VALUE_0: `authorization: ${remote.headers.authorization}`,
        },
      });
    expect((await git('push', remote.url, `HEAD:refs/heads/${branch}`)).exitCode).toBe(0);
    expect((await git('push', remote.url, 'HEAD:refs/heads/main')).stderr).toContain('may push only');
    expect((await git('ls-remote', remote.url)).stdout).toContain(commit);
    expect(world.endpoint.refsPushed).toHaveLength(1);
    holding = false;
    expect((await git('ls-remote', remote.url)).stderr).toContain('has lost its lease');
  });

  test('is nobody without the bearer, serves git alone, and ends with the door', async () => {
    const world = await open({ network: 'open' });
    const remote = world.endpoint.hostRemote({ provider: 'local', repo: 'group/sub/app' });
    const url = `${remote.url}/info/refs?service=git-upload-pack`;
    const origin = new URL(url).origin;
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(url, { headers: { authorization: 'Bearer x' } })).status).toBe(403);
    expect((await fetch(url, { headers: remote.headers })).status).toBe(200);
    for (const path of ['/npm/left-pad', '/', '/pip/simple/x/'])
      expect((await fetch(origin + path, { headers: remote.headers })).status).toBe(404);
    await world.endpoint.close();
    expect((await fetch(url, { headers: remote.headers })).status).toBe(403);
    await expect(stat(world.endpoint.socketPath)).rejects.toThrow('ENOENT');
  });
});

describe('connections', () => {
  test('a client that goes away frees the upstream', async () => {
    const gone = Promise.withResolvers<void>();
    const peer = await scratch.closing(
      startPeer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
        response.write('0000');
        response.once('close', () => gone.resolve());
      }),
    );
    const world = await open({ repositories: [repository({ remoteUrl: `${peer.url}/a.git` })] });
    const call = httpGet(`${world.inside}/git/local/group/sub/app.git/info/refs?service=git-upload-pack`);
    call.on('error', () => {});
    await new Promise((resolve) => call.once('response', resolve));
    call.destroy();
    await gone.promise;
    await expect.poll(() => peer.sockets.size).toBe(0);
  });

  test('closing the endpoint cuts open connections', async () => {
    const peer = await scratch.closing(startPeer(() => {}));
    const world = await open({ repositories: [repository({ remoteUrl: `${peer.url}/a.git` })] });
    const call = fetch(`${world.inside}/git/local/group/sub/app.git/info/refs?service=git-upload-pack`);
    const failed = expect(call).rejects.toThrow('fetch failed');
    await expect.poll(() => peer.requests.length).toBe(1);
    await world.endpoint.close();
    await failed;
    await expect.poll(() => peer.sockets.size).toBe(0);
  });
});
