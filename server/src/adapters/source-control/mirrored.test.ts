import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readdir } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { initBare } from '../../git/bare.ts';
import { createGitFixture, serveFixture, type GitFixture, type GitServer } from '../../git/git-fixture.ts';
import { createLog } from '../../lib/log.ts';
import { openHostMirrors, type HostMirrorsOptions } from './host-mirrors.ts';
import { readsFromMirror, type MirroredReads } from './mirrored.ts';
import type { RepositoryRef } from './port.ts';

let fixture: GitFixture;
let server: GitServer;
let before: (request: IncomingMessage, response: ServerResponse) => boolean;
let name: string;
let work: string;
let repository: RepositoryRef;
const closing = new AbortController();

beforeAll(async () => {
  fixture = await createGitFixture();
  server = await serveFixture(fixture.root, { denyDeletes: false, before: (...exchange) => before(...exchange) });
});
afterAll(async () => {
  closing.abort();
  await server.close();
  // Tending and eviction go on in the background.
  await vi.waitFor(() => fixture.dispose(), { timeout: 20_000 });
});
beforeEach(async () => {
  before = () => false;
  name = randomBytes(4).toString('hex');
  ({ work, repository } = await host(name));
});
afterEach(() => (server.requests.length = 0));

/** Creates a repository on the host with one commit on `main`. */
async function host(repo: string): Promise<{ work: string; repository: RepositoryRef }> {
  await initBare(fixture.path(`acme/${repo}.git`), { defaultBranch: 'main' });
  const tree = await fixture.work(`work-${repo}`, { 'a.txt': 'one\n' });
  await fixture.client(tree, 'remote', 'add', 'origin', `${server.url}/acme/${repo}.git`);
  await fixture.client(tree, 'push', '-q', 'origin', 'main');
  return {
    work: tree,
    repository: { orgId: 'org_1', connectionId: 'conn_1', id: `repo_${repo}`, repo: `acme/${repo}` },
  };
}

async function push(branch: string, files: Record<string, string | Uint8Array>, ...flags: string[]): Promise<string> {
  const head = await fixture.commit(work, files);
  await fixture.client(work, 'push', '-q', ...flags, 'origin', `HEAD:${branch}`);
  server.requests.length = 0;
  return head;
}

function open(options: Partial<HostMirrorsOptions> = {}, authorization = 'Bearer s3cret'): MirroredReads {
  const hostMirrors = openHostMirrors({
    directory: fixture.path(`mirrors-${name}`),
    remote: async (url) => ({ url, addresses: ['127.0.0.1'] }),
    maxBytes: 0,
    cloneBytes: 0,
    reserveBytes: 0,
    log: createLog('silent'),
    closing: closing.signal,
    ...options,
  });
  return readsFromMirror(hostMirrors, ({ repo }) => ({
    remoteUrl: `${server.url}/${repo}.git`,
    authorization: async () => authorization,
  }));
}

test('it answers as the host is, and asks for nothing that it has', async () => {
  const base = await fixture.client(work, 'rev-parse', 'HEAD');
  const head = await push('topic', { 'docs/b.txt': 'two\n' });
  const reads = open();
  expect(await reads.findBranches(repository, { search: 'TOP', limit: 5 })).toEqual({
    items: [{ name: 'topic', sha: head }],
    isMore: false,
    total: 1,
  });
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer s3cret']));
  server.requests.length = 0;
  expect(await reads.resolve(repository, 'topic')).toBe(head);
  expect(await reads.compare(repository, 'main', head)).toMatchObject({ base_commit: base, additions: 1 });
  expect((await reads.findPaths(repository, head, { search: 'b.t', limit: 5 })).total).toBe(1);
  expect((await reads.readTree(repository, 'topic', ['docs'], 5))?.files.map(({ path }) => path)).toEqual([
    'docs/b.txt',
  ]);
  expect(await reads.withGitDirectory(repository, head, async (_, commit) => commit)).toBe(head);
  expect(server.requests).toEqual([]);
  expect(await reads.wouldMerge(repository, 'main', head)).toBe(true);
  expect(server.requests.length).toBeGreaterThan(0);
});

test('a branch that moved is seen at once by its head and a merge, and an unknown commit is fetched', async () => {
  const reads = open({ freshMs: 3_600_000 });
  await reads.resolve(repository, 'main');
  const moved = await push('main', { 'a.txt': 'two\n' });
  expect(await reads.branchHead(repository, 'main')).toBe(moved);
  expect(await reads.branchHead(repository, 'nowhere')).toBeUndefined();
  expect(await reads.resolve(repository, 'main')).not.toBe(moved);
  expect(await reads.resolve(repository, moved)).toBe(moved);
  const conflicting = await push('main', { 'a.txt': 'three\n' });
  await fixture.client(work, 'checkout', '-q', '-b', 'rival', moved);
  const rival = await push('rival', { 'a.txt': 'four\n' });
  expect(await reads.wouldMerge(repository, 'main', rival)).toBe(false);
  expect(await reads.resolve(repository, 'main')).toBe(conflicting);
});

test('a force push, and a default branch that was deleted, are followed', async () => {
  const reads = open({ freshMs: 0 });
  const lost = await push('main', { 'a.txt': 'two\n' });
  expect(await reads.resolve(repository, 'main')).toBe(lost);
  await fixture.client(work, 'reset', '-q', '--hard', 'HEAD~1');
  const forced = await push('main', { 'b.txt': 'two\n' }, '--force');
  expect(await reads.resolve(repository, 'main')).toBe(forced);
  await fixture.client(work, 'push', '-q', 'origin', 'HEAD:kept');
  await fixture.client(fixture.path(`acme/${name}.git`), 'update-ref', '-d', 'refs/heads/main');
  expect(await reads.resolve(repository, 'main')).toBeUndefined();
  expect(await reads.branchHead(repository, 'main')).toBeUndefined();
  expect((await reads.findBranches(repository, { search: '', limit: 5 })).items).toEqual([
    { name: 'kept', sha: forced },
  ]);
  expect(await reads.resolve(repository, forced)).toBe(forced);
});

test('a commit that no branch has, as of a fork, is read by its id, and stays', async () => {
  const reads = open({ freshMs: 0 });
  const commit = await push('refs/heads/fork', { 'f.txt': 'x\n' });
  await fixture.client(fixture.path(`acme/${name}.git`), 'update-ref', 'refs/pull/1/head', commit);
  await fixture.client(work, 'push', '-q', 'origin', ':fork');
  expect(await reads.resolve(repository, commit)).toBe(commit);
  await reads.findBranches(repository, { search: '', limit: 5 });
  server.requests.length = 0;
  expect((await reads.compare(repository, await fixture.client(work, 'rev-parse', 'HEAD~1'), commit)).additions).toBe(
    1,
  );
  expect(server.requests).toEqual([]);
  expect(await reads.resolve(repository, 'a'.repeat(40))).toBeUndefined();
});

test('callers share a fetch, wait a limited time for one that hangs, and have its result later', async () => {
  const held: (() => void)[] = [];
  before = (_request, response) => {
    if (held.length > 0) return false;
    held.push(() => response.destroy());
    return true;
  };
  const reads = open({ waitMs: 300, freshMs: 0 });
  const calls = await Promise.allSettled([1, 2, 3].map(() => reads.resolve(repository, 'main')));
  for (const call of calls)
    expect(call).toMatchObject({ reason: { retryable: true, message: expect.stringContaining('still being copied') } });
  expect(held).toHaveLength(1);
  held[0]?.();
  await expect
    .poll(() => reads.resolve(repository, 'main').catch(() => ''), { timeout: 20_000 })
    .toMatch(/^[0-9a-f]{40}$/);
});

test('a fetch that never ends is ended', async () => {
  before = () => true;
  const reads = open({ fetchMs: 300, waitMs: 20_000 });
  await expect(reads.resolve(repository, 'main')).rejects.toMatchObject({ retryable: true });
});

test('a refusal is remembered for a moment, and has no secret in it', async () => {
  before = (_request, response) => {
    response.writeHead(403).end('no s3cret');
    return true;
  };
  const reads = open();
  const refused = { retryable: false, message: expect.not.stringContaining('s3cret') };
  await expect(reads.resolve(repository, 'main')).rejects.toMatchObject(refused);
  const asked = server.requests.length;
  await expect(reads.resolve(repository, 'main')).rejects.toMatchObject(refused);
  expect(server.requests).toHaveLength(asked);
});

test('a repository beyond the limit is refused by name of the limit, and not fetched again', async () => {
  await push('main', { 'large.bin': randomBytes(3 * 1024 ** 2) });
  const reads = open({ cloneBytes: 1024 ** 2, freshMs: 0 });
  const message = expect.stringContaining('larger than the 1 MiB that Guildhall copies');
  await expect(reads.resolve(repository, 'main')).rejects.toMatchObject({ message, retryable: false });
  server.requests.length = 0;
  await expect(reads.resolve(repository, 'main')).rejects.toMatchObject({ message });
  expect(server.requests).toEqual([]);
});

test('of several who wait for different commits of one beyond the limit, only the first fetches it', async () => {
  const head = await push('main', { 'large.bin': randomBytes(3 * 1024 ** 2) });
  const reads = open({ cloneBytes: 1024 ** 2, freshMs: 0 });
  const other = 'a'.repeat(40);
  const calls = await Promise.allSettled([head, other, 'main'].map((ref) => reads.resolve(repository, ref)));
  for (const call of calls) expect(call).toMatchObject({ reason: { name: 'TooLarge' } });
  expect(server.requests.filter(({ url }) => url.endsWith('/git-upload-pack')).length).toBeLessThanOrEqual(2);
});

test('beyond the limit of disk the mirrors that nobody reads are removed, and made again', async () => {
  const other = await host(`${name}-other`);
  const reads = open({ maxBytes: 1 });
  await reads.withGitDirectory(repository, 'main', async () => {
    await reads.resolve(other.repository, 'main');
    await expect.poll(() => mirrorNames(), { timeout: 20_000 }).toEqual([`repo_${name}.git`]);
  });
  expect(await reads.resolve(other.repository, 'main')).toMatch(/^[0-9a-f]{40}$/);
});

async function mirrorNames(): Promise<string[]> {
  const names = await readdir(fixture.path(`mirrors-${name}/org_1`));
  return names.filter((one) => one.endsWith('.git'));
}
