import { utimes, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initBare, listRefs, resolveRef } from '../../../git/bare.ts';
import { createGitFixture, serveFixture, type GitFixture, type GitServer } from '../../../git/git-fixture.ts';
import { pruneLost } from './lost-commits.ts';

const dayMs = 24 * 3_600_000;
const start = new Date('2026-03-01T12:00:00Z');
const after = (days: number): Date => new Date(start.getTime() + days * dayMs);
const nothing = () => Promise.resolve([]);

let fixture: GitFixture;
let server: GitServer;
let bare: string;
let work: string;
let now = start;

beforeAll(async () => {
  fixture = await createGitFixture();
  bare = fixture.path('acme/app.git');
  await initBare(bare, { defaultBranch: 'main' });
  work = await fixture.work('work', { 'a.txt': 'one\n' });
  server = await serveFixture(fixture.root, { denyDeletes: false, now: () => now });
  await fixture.client(work, 'remote', 'add', 'origin', `${server.url}/acme/app.git`);
});
afterAll(async () => {
  await server.close();
  await fixture.dispose();
});

/** Pushes a commit, then moves the branch back; returns the unreferenced commit. */
async function loseOne(text: string): Promise<string> {
  const before = await fixture.client(work, 'rev-parse', 'HEAD');
  const commit = await fixture.commit(work, { 'secret.txt': text });
  await fixture.client(work, 'push', '-q', 'origin', 'HEAD:main');
  await fixture.client(work, 'reset', '-q', '--hard', before);
  await fixture.client(work, 'push', '-q', '--force', 'origin', 'HEAD:main');
  return commit;
}

/** Makes objects old, because new ones could belong to a running push. */
async function age(): Promise<void> {
  for (const name of await readdir(join(bare, 'objects'), { recursive: true }))
    await utimes(join(bare, 'objects', name), start, start);
}

test('what a forced push took out, or was on a branch that was deleted, is gone when its time is over, and not before', async () => {
  const lost = await loseOne('first\n');
  const branch = await fixture.commit(work, { 'b.txt': 'b' });
  await fixture.client(work, 'push', '-q', 'origin', 'HEAD:topic');
  await fixture.client(work, 'push', '-q', 'origin', ':topic');
  await fixture.client(work, 'reset', '-q', '--hard', 'HEAD~1');
  now = after(10);
  const later = await loseOne('second\n');
  await age();
  expect(await pruneLost(bare, start, nothing)).toBe(false);
  expect(await resolveRef(bare, lost)).toBe(lost);
  expect(await pruneLost(bare, after(5), nothing)).toBe(true);
  expect(await resolveRef(bare, lost)).toBeUndefined();
  expect(await resolveRef(bare, branch)).toBeUndefined();
  expect(await resolveRef(bare, later)).toBe(later);
  await age();
  expect(await pruneLost(bare, after(11), nothing)).toBe(true);
  expect(await resolveRef(bare, later)).toBeUndefined();
  expect(await pruneLost(bare, after(100), nothing)).toBe(false);
  await fixture.client(fixture.root, 'clone', '-q', `${server.url}/acme/app.git`, 'clone');
});

test('a commit that a record names stays as long as it does', async () => {
  now = after(20);
  const named = await loseOne('third\n');
  await age();
  expect(await pruneLost(bare, after(30), () => Promise.resolve([named, 'a'.repeat(40), '']))).toBe(true);
  expect(await resolveRef(bare, named)).toBe(named);
  now = after(40);
  await loseOne('fourth\n');
  await age();
  expect(await pruneLost(bare, after(50), nothing)).toBe(true);
  expect(await resolveRef(bare, named)).toBeUndefined();
});

test('a push that only adds loses nothing', async () => {
  const before = await listRefs(bare, 'refs/guildhall/');
  await fixture.commit(work, { 'more.txt': 'more' });
  await fixture.client(work, 'push', '-q', 'origin', 'HEAD:main', 'HEAD:other');
  await fixture.commit(work, { 'more.txt': 'and more' });
  await fixture.client(work, 'push', '-q', 'origin', 'HEAD:main');
  expect(await listRefs(bare, 'refs/guildhall/')).toEqual(before);
});

test('what was packed lately is gone some hours later', async () => {
  now = after(60);
  const lost = await loseOne('fifth\n');
  await age();
  await fixture.client(bare, 'repack', '-a', '-d', '-q');
  expect(await pruneLost(bare, after(70), nothing)).toBe(true);
  expect(await resolveRef(bare, lost)).toBe(lost);
  expect(await pruneLost(bare, after(70), nothing)).toBe(false);
  await age();
  await utimes(join(bare, 'guildhall-unpruned'), start, start);
  expect(await pruneLost(bare, after(70), nothing)).toBe(true);
  expect(await resolveRef(bare, lost)).toBeUndefined();
  expect(await pruneLost(bare, after(70), nothing)).toBe(false);
});
