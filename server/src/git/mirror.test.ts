import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeAll, afterAll, beforeEach, expect, test } from 'vitest';
import { initBare, listBranches, listRefs, readBranch, resolveRef } from './bare.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { countedText, createGitFixture, serveFixture } from './git-fixture.ts';
import { holdMirror, maintainMirror, newestOf } from './mirror-generations.ts';
import { syncMirror } from './mirror.ts';
import { git } from './native.ts';
import type { GitFixture, GitServer } from './git-fixture.ts';
import type { GitRemote } from './remote.ts';

let fixture: GitFixture;
let server: GitServer;
let name: string;
let work: string;
let path: string;
let remote: GitRemote;

beforeAll(async () => {
  fixture = await createGitFixture();
});
afterAll(() => fixture.dispose());
beforeEach(async () => {
  name = randomBytes(4).toString('hex');
  server = await serveFixture(fixture.root, { denyDeletes: false });
  await initBare(fixture.path(`acme/${name}.git`), { defaultBranch: 'main' });
  work = await fixture.work(`work-${name}`, { 'a.txt': 'one\n' });
  await fixture.client(work, 'remote', 'add', 'origin', `${server.url}/acme/${name}.git`);
  await fixture.client(work, 'push', '-q', 'origin', 'main');
  path = fixture.path(`mirrors/${name}.git`);
  remote = { url: `${server.url}/acme/${name}.git`, headers: { authorization: 'Bearer s3cret' } };
});
afterEach(() => server.close());

const sync = (extra: Partial<Parameters<typeof syncMirror>[0]> = {}): ReturnType<typeof syncMirror> =>
  syncMirror({ path, remote, timeoutMs: 20_000, ...extra });
const maintain = async (leaveBytes = 0): Promise<void> =>
  maintainMirror(path, await readdir(fixture.path('mirrors')), { timeoutMs: 20_000, within: { leaveBytes } });
/** Returns the leftovers when nothing is held. */
const beside = async (): Promise<string[]> => {
  await maintain();
  const entries = (await readdir(fixture.path('mirrors'))).filter((entry) => entry.startsWith(name));
  return entries.map((entry) => entry.slice(name.length).replace(/[0-9a-f]{12}/, '<id>')).sort();
};
const oneGeneration = ['.git', '.git.<id>', '.git.<id>.lock', '.git.lock'];
/** Returns everything that a sandbox could list. */
const objects = async (repository: string): Promise<string> =>
  (await git(['cat-file', '--batch-all-objects', '--batch-check'], { gitDir: repository })).stdout;

test('the first sync clones, later ones follow new, moved and deleted branches and tags, and nothing else', async () => {
  expect(await sync()).toEqual({ outcome: 'created' });
  await fixture.client(work, 'tag', 'v1');
  await fixture.client(work, 'push', '-q', 'origin', 'v1', 'main:gone', 'main:refs/notes/x', 'main:pack-is-corrupt');
  // A ref's name is no complaint of git.
  expect(await sync()).toEqual({ outcome: 'fetched' });
  await fixture.client(work, 'push', '-q', 'origin', ':pack-is-corrupt');
  expect(await sync()).toEqual({ outcome: 'fetched' });
  expect([...(await listRefs(path, 'refs/')).keys()]).toEqual(['refs/heads/gone', 'refs/heads/main', 'refs/tags/v1']);
  await fixture.client(work, 'commit', '-q', '--amend', '-m', 'rewritten');
  await fixture.client(work, 'tag', '-f', 'v1');
  await fixture.client(work, 'push', '-q', '-f', 'origin', ':gone', 'main', 'v1', 'main:gone/deeper');
  await sync();
  const sha = await fixture.client(work, 'rev-parse', 'HEAD');
  expect(await listRefs(path, 'refs/')).toEqual(
    new Map([
      ['refs/heads/gone/deeper', sha],
      ['refs/heads/main', sha],
      ['refs/tags/v1', sha],
    ]),
  );
});

test('an update beyond the limit says it and what to do, leaves nothing, and keeps the mirror', async () => {
  await sync();
  const before = await listRefs(path, 'refs/');
  await fixture.commit(work, { 'large.bin': randomBytes(3 * 1024 ** 2) });
  await fixture.client(work, 'push', '-q', 'origin', 'main');
  const within = { mostBytes: 1024 ** 2, leaveBytes: 0 };
  const message =
    'The repository is larger than the 1 MiB that Guildhall copies. Remove large files from its history, or ask the operator for a larger limit (GUILDHALL_CLONE_MAX).';
  await expect(sync({ within })).rejects.toMatchObject({ name: 'TooLarge', message, retryable: false });
  const generation = (await newestOf(path)) ?? '';
  const packs = await readdir(join(generation, 'objects/pack'));
  expect(packs.filter((one) => !one.startsWith('pack-'))).toEqual([]);
  expect([await listRefs(path, 'refs/'), await beside()]).toEqual([before, oneGeneration]);
  expect(await sync({ within: { ...within, mostBytes: 4 * 1024 ** 2 } })).toEqual({ outcome: 'fetched' });
});

test('an update that fills the disk is stopped, says so, leaves nothing, and keeps the mirror', async () => {
  await sync();
  const before = await listRefs(path, 'refs/');
  await fixture.commit(work, { 'b.txt': 'two\n' });
  await fixture.client(work, 'push', '-q', 'origin', 'main');
  const file = fixture.path(`filling-${name}`);
  let filling = Promise.resolve();
  const slow = await serveFixture(fixture.root, {
    before: ({ url }) => {
      if (url?.endsWith('/git-upload-pack') !== true) return false;
      // More than a small update may take; then nothing comes.
      filling = writeFile(file, Buffer.alloc(192 * 1024 ** 2, 1));
      return true;
    },
  });
  const within = { mostBytes: Infinity, leaveBytes: Infinity };
  const update = sync({ remote: { url: `${slow.url}/acme/${name}.git` }, within });
  await expect(update).rejects.toMatchObject({
    name: 'DiskFull',
    message: 'The disk of the server is almost full, so the copy of the repository was stopped. Tell the operator.',
    retryable: false,
  });
  await filling;
  await rm(file);
  await slow.close();
  expect([await listRefs(path, 'refs/'), await beside()]).toEqual([before, oneGeneration]);
  expect(await sync({ within })).toEqual({ outcome: 'fetched' });
});

test('a first copy beyond the limit leaves nothing', async () => {
  await fixture.commit(work, { 'large.bin': randomBytes(3 * 1024 ** 2) });
  await fixture.client(work, 'push', '-q', 'origin', 'main');
  await expect(sync({ within: { mostBytes: 1024 ** 2, leaveBytes: 0 } })).rejects.toThrow('larger than the 1 MiB');
  expect(await beside()).toEqual(['.git.lock']);
});

test('credentials reach the server and are kept nowhere', async () => {
  const before = server.requests.length;
  await sync();
  await sync();
  const headers = server.requests.slice(before).map((request) => request.headers.authorization);
  expect(new Set(headers)).toEqual(new Set(['Bearer s3cret']));
  const { stdout } = await execa('grep', ['-rl', 's3cret', path], { reject: false });
  expect(stdout).toBe('');
});

/** Pushes a commit, lets the mirror fetch it, and removes it; returns it. */
async function takeBack(): Promise<string> {
  await sync();
  const lost = await fixture.commit(work, { 'secret.txt': 'hunter2' });
  await fixture.client(work, 'push', '-q', 'origin', 'main');
  await sync();
  await fixture.client(work, 'commit', '-q', '--amend', '-m', 'rewritten');
  await fixture.client(work, 'push', '-q', '-f', 'origin', 'main');
  return lost;
}

test('what upstream took back is in no new generation, and stays for those who hold the old one', async () => {
  const lost = await takeBack();
  const held = await holdMirror(path);
  expect(await sync()).toEqual({ outcome: 'renewed' });
  const newest = (await newestOf(path)) ?? '';
  expect(await objects(newest)).not.toContain(lost);
  expect(await resolveRef(newest, 'main')).toBe(await fixture.client(work, 'rev-parse', 'HEAD'));
  await git(['fsck', '--strict'], { gitDir: newest });
  await maintain();
  expect(await resolveRef(held?.path ?? '', lost)).toBe(lost);
  expect(held?.path).not.toBe(newest);
  await held?.release();
  expect(await beside()).toEqual(oneGeneration);
  expect(await sync()).toEqual({ outcome: 'fetched' });
});

test('the same holds for a branch that was deleted, and not for one that was merged', async () => {
  await sync();
  const merged = await fixture.commit(work, { 'b.txt': 'b' });
  await fixture.client(work, 'push', '-q', 'origin', 'main:topic', 'main:other');
  await sync();
  await fixture.client(work, 'push', '-q', 'origin', 'main', ':topic');
  expect(await sync()).toEqual({ outcome: 'fetched' });
  await fixture.client(work, 'reset', '-q', '--hard', 'HEAD~1');
  await fixture.client(work, 'push', '-q', '-f', 'origin', 'main', ':other');
  expect(await sync()).toEqual({ outcome: 'renewed' });
  expect(await objects(path)).not.toContain(merged);
});

test('a commit that no branch holds any more is fetched by its id for who needs it, and left behind after', async () => {
  const lost = await takeBack();
  await sync();
  await sync({ commits: [lost] });
  const held = await holdMirror(path);
  expect(await resolveRef(path, lost)).toBe(lost);
  expect(await sync()).toEqual({ outcome: 'renewed' });
  expect(await resolveRef(path, lost)).toBeUndefined();
  expect(await resolveRef(held?.path ?? '', lost)).toBe(lost);
  await held?.release();
});

test('a mirror that was not made anew at once is later, with what came meanwhile', async () => {
  const lost = await takeBack();
  await sync();
  await sync({ commits: [lost] });
  const before = (await newestOf(path)) ?? '';
  await maintain();
  expect(await newestOf(path)).toBe(before);
  await utimes(`${before}.lock`, new Date(0), new Date(0));
  await maintain();
  expect(await newestOf(path)).not.toBe(before);
  expect(await objects(path)).not.toContain(lost);
  expect(await resolveRef(path, 'main')).toBe(await fixture.client(work, 'rev-parse', 'HEAD'));
  expect(await beside()).toEqual([...oneGeneration, '.git.renewal.lock']);
});

test('a renewal that would fill the disk is not begun, says so, and unused generations are removed nevertheless', async () => {
  const lost = await takeBack();
  await sync();
  await sync({ commits: [lost] });
  await sync({ rebuild: true, commits: [lost] });
  const before = (await newestOf(path)) ?? '';
  await utimes(`${before}.lock`, new Date(0), new Date(0));
  await expect(maintain(Infinity)).rejects.toMatchObject({
    name: 'DiskFull',
    message: 'The disk of the server is almost full, so the copy of the repository was stopped. Tell the operator.',
  });
  expect([await newestOf(path), await resolveRef(path, lost)]).toEqual([before, lost]);
  expect(await beside()).toEqual([...oneGeneration.slice(0, 3), '.git.<id>.lost', '.git.lock', '.git.renewal.lock']);
  // Tried again an hour later.
  await utimes(`${before}.lock`, new Date(0), new Date(0));
  await maintain();
  expect(await resolveRef(path, lost)).toBeUndefined();
});

test('what small fetches brought is packed, also while it is held', async () => {
  await sync();
  const commit = await fixture.commit(work, { 'a.txt': countedText(name) });
  await fixture.client(work, 'push', '-q', 'origin', 'main', 'main:topic');
  await sync();
  const held = await holdMirror(path);
  const before = await objects(path);
  expect((await git(['count-objects'], { gitDir: path })).stdout).not.toMatch(/^0 /);
  await maintain();
  expect((await git(['count-objects'], { gitDir: path })).stdout).toMatch(/^0 /);
  expect(await readdir(join(path, 'refs/heads'))).toEqual([]);
  expect([held?.path, await objects(held?.path ?? '')]).toEqual([await newestOf(path), before]);
  expect([...(await listRefs(path, 'refs/')).values()]).toEqual([commit, commit]);
  expect([await readBranch(path, 'topic'), await sync()]).toEqual([commit, { outcome: 'fetched' }]);
  await held?.release();
  await fixture.client(work, 'push', '-q', 'origin', ...Array.from({ length: 100 }, (_, at) => `main:many/${at}`));
  await sync();
  await maintain();
  expect(await readdir(join(path, 'refs/heads'))).toEqual([]);
});

test('a mirror with very many packs is made anew', async () => {
  await sync();
  const before = (await newestOf(path)) ?? '';
  for (let pack = 0; pack <= 50; pack += 1)
    await git(['fast-import', '--quiet'], {
      gitDir: before,
      config: [['fastimport.unpackLimit', '0']],
      input: `blob\ndata ${String(pack).length}\n${pack}\n`,
    });
  await utimes(`${before}.lock`, new Date(0), new Date(0));
  await maintain();
  expect(await newestOf(path)).not.toBe(before);
  expect((await git(['count-objects', '-v'], { gitDir: path })).stdout).toContain('packs: 1\n');
  expect(await resolveRef(path, 'main')).toBe(await fixture.client(work, 'rev-parse', 'HEAD'));
});

test('a mirror that an older version made becomes a generation, and what it kept is left behind', async () => {
  const lost = await fixture.commit(work, { 'secret.txt': 'hunter2' });
  await fixture.client(fixture.root, 'clone', '-q', '--bare', work, path);
  await fixture.client(work, 'reset', '-q', '--hard', 'HEAD~1');
  expect(await resolveRef(path, lost)).toBe(lost);
  expect(await sync()).toEqual({ outcome: 'renewed' });
  expect(await objects(path)).not.toContain(lost);
  expect(await beside()).toEqual(oneGeneration);
});

test('HEAD follows when the upstream default branch is renamed', async () => {
  await sync();
  await fixture.client(work, 'push', '-q', 'origin', 'main:trunk', 'main:aaa');
  await git(['symbolic-ref', 'HEAD', 'refs/heads/trunk'], { gitDir: fixture.path(`acme/${name}.git`) });
  await fixture.client(work, 'push', '-q', 'origin', ':main');
  await sync();
  expect((await git(['symbolic-ref', 'HEAD'], { gitDir: path })).stdout.trim()).toBe('refs/heads/trunk');
});

test('callers at the same time share fetches, and each sees what was pushed before it asked', async () => {
  await sync();
  const before = server.requests.filter(({ url }) => url.includes('info/refs')).length;
  await Promise.all(Array.from({ length: 20 }, () => sync()));
  expect(server.requests.filter(({ url }) => url.includes('info/refs')).length - before).toBe(2);
  const running = sync();
  const sha = await fixture.commit(work, { 'b.txt': 'x' });
  await fixture.client(work, 'push', '-q', 'origin', 'main');
  await Promise.all([running, sync()]);
  expect(await resolveRef(path, 'main')).toBe(sha);
});

test('several processes at once make one whole mirror', async () => {
  const script = `
    import { syncMirror } from ${JSON.stringify(new URL('./mirror.ts', import.meta.url).href)};
    const result = await syncMirror({ path: ${JSON.stringify(path)}, remote: ${JSON.stringify(remote)}, timeoutMs: 20000 });
    process.stdout.write(result.outcome);`;
  const outcomes = await Promise.all(
    [1, 2, 3].map(async () => (await execa(process.execPath, ['--input-type=module', '-e', script])).stdout),
  );
  expect(outcomes.sort()).toEqual(['created', 'fetched', 'fetched']);
  expect(await listBranches(path)).toHaveLength(1);
  expect(await beside()).toEqual(oneGeneration);
});

test('what a killed process left behind does not stop the next sync', async () => {
  await mkdir(fixture.path(`mirrors/${name}.git.new-0123/objects`), { recursive: true });
  await mkdir(path, { recursive: true });
  expect(await sync()).toEqual({ outcome: 'rebuilt' });
  await fixture.commit(work, { 'b.txt': 'x' });
  await fixture.client(work, 'push', '-q', 'origin', 'main', 'main:other');
  for (const lock of ['packed-refs.lock', 'HEAD.lock', 'refs/heads/main.lock', 'objects/pack/tmp_pack_x'])
    await writeFile(join(path, lock), '');
  expect(await sync()).toEqual({ outcome: 'fetched' });
  expect(await listBranches(path)).toHaveLength(2);
  expect(await readdir(join(path, 'objects/pack'))).not.toContain('tmp_pack_x');
  expect(await beside()).toEqual(oneGeneration);
});

test('a damaged mirror is replaced: objects gone, pack cut, configuration broken, no HEAD, or on demand', async () => {
  const damages: (() => Promise<void>)[] = [
    () => rm(join(path, 'objects'), { recursive: true }),
    () => rm(join(path, 'HEAD')),
    () => writeFile(join(path, 'config'), '[broken'),
    async () => {
      const pack = (await readdir(join(path, 'objects/pack'))).find((entry) => entry.endsWith('.pack')) ?? '';
      await chmod(join(path, 'objects/pack', pack), 0o600);
      await truncate(join(path, 'objects/pack', pack), 20);
    },
  ];
  await sync();
  for (const [index, damage] of damages.entries()) {
    await damage();
    const sha = await fixture.commit(work, { 'a.txt': `version ${index}\n` });
    await fixture.client(work, 'push', '-q', 'origin', 'main');
    expect((await sync()).outcome, `damage ${index}`).toBe('rebuilt');
    expect(await resolveRef(path, 'main')).toBe(sha);
    await git(['fsck', '--strict'], { gitDir: path });
  }
  expect(await sync({ rebuild: true })).toEqual({ outcome: 'rebuilt' });
});

test('a remote that fails leaves the mirror as it is', async () => {
  await sync();
  const sha = await resolveRef(path, 'main');
  await expect(sync({ remote: { url: `${server.url}/acme/missing.git` } })).rejects.toMatchObject({ retryable: false });
  await expect(sync({ remote: { url: 'http://127.0.0.1:1/acme/x.git' } })).rejects.toMatchObject({ retryable: true });
  expect(await resolveRef(path, 'main')).toBe(sha);
  expect(await beside()).toEqual(oneGeneration);
});

test('one caller may give up while another goes on; when all gave up, the fetch ends', async () => {
  let hold: (() => void) | undefined;
  const slow = await serveFixture(fixture.root, {
    before: (_request, response) => {
      if (hold === undefined) return false;
      hold();
      response.on('close', () => closed());
      return true;
    },
  });
  let closed = (): void => {};
  const url = `${slow.url}/acme/${name}.git`;
  await sync({ remote: { url } });
  const asked = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const [first, second, other] = [new AbortController(), new AbortController(), new AbortController()];
  const one = expect(sync({ remote: { url }, signal: first.signal })).rejects.toThrow('first');
  const two = expect(sync({ remote: { url }, signal: second.signal })).rejects.toThrow('second');
  const three = expect(sync({ remote: { url }, signal: other.signal })).rejects.toThrow('other');
  await asked;
  second.abort(new Error('second'));
  await two;
  first.abort(new Error('first'));
  await one;
  await ended;
  other.abort(new Error('other'));
  await three;
  await slow.close();
});

test('a lock that another process holds is waited for, reported when it stays, and free when its holder dies', async () => {
  const file = fixture.path('locks/a.lock');
  await withFileLock(file, { timeoutMs: 1_000 }, () => Promise.resolve());
  const holder = execa('flock', ['-x', '--no-fork', file, 'sh', '-c', 'echo held; read line'], {
    reject: false,
    buffer: false,
  });
  await once(holder.stdout, 'data');
  const attempt = withFileLock(file, { timeoutMs: 50 }, () => Promise.resolve());
  await expect(attempt).rejects.toMatchObject({ retryable: true, message: expect.stringContaining('locked') });
  const waiting = withFileLock(file, { timeoutMs: 20_000 }, () => Promise.resolve('mine'));
  holder.kill('SIGKILL');
  expect(await waiting).toBe('mine');
  await holder;
});
