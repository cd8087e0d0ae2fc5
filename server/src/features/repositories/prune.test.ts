import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { countedText } from '../../git/git-fixture.ts';
import { git } from '../../git/native.ts';
import { openChangeRequest } from '../../../test/support/change-requests.ts';
import { pruneRepositories } from './prune-service.ts';
import { restorableMs } from './restorable.ts';

const repositories = '/v3/organizations/default/repositories';
const dayMs = 24 * 3_600_000;
let api: TestApi;
let ada: GitUser;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterAll(async () => {
  await ada.close();
  await api.close();
});

/** Prunes at a later time, so that new objects count as old. */
async function prune(id: string, afterMs: number): Promise<void> {
  const objects = join(api.ctx.config.repositories, orgId, `${id}.git`, 'objects');
  const old = new Date(Date.now() - dayMs);
  for (const name of await readdir(objects, { recursive: true })) await utimes(join(objects, name), old, old);
  const at = api.ctx.clock.now().getTime() + afterMs;
  await pruneRepositories({ ...api.ctx, clock: { now: () => new Date(at) } });
}

test('what a forced push took out can be read by its id for 30 days and no longer, but what records name', async () => {
  const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/app' } });
  const id = String(json['id']);
  const url = withKey(String(json['clone_url']), api.adminKey);
  const work = await ada.start({ 'a.txt': 'one\n' });
  const base = await ada.git(work, 'rev-parse', 'HEAD');
  await ada.git(work, 'push', '-q', url, 'main');
  const secret = await ada.commit(work, { 'secret.txt': 'hunter2\n' });
  await ada.git(work, 'push', '-q', url, 'main');
  await ada.git(work, 'reset', '-q', '--hard', base);
  await ada.git(work, 'push', '-q', '--force', url, 'main');
  const begun = await ada.commit(work, { 'b.txt': 'b\n' });
  await ada.git(work, 'push', '-q', url, 'HEAD:begun');
  await ada.git(work, 'push', '-q', url, ':begun');
  await ada.git(work, 'reset', '-q', '--hard', base);
  const session = await api.call('POST', '/v3/organizations/default/sessions', {
    body: { prompt: 'Do it.', repositories: [{ repo: 'acme/app' }] },
  });
  expect(session.status).toBe(201);
  // As a worker writes after its choice.
  await api.ctx.db.kysely
    .updateTable('sessions')
    .set({ repositories: sql`jsonb_set(repositories, '{0,base_commit}', ${JSON.stringify(begun)}::jsonb)` })
    .where('id', '=', String(session.json['id']))
    .execute();
  const proposed = await ada.commit(work, { 'a.txt': 'two\n' });
  await ada.git(work, 'push', '-q', url, 'HEAD:topic');
  const row = await openChangeRequest(api.ctx, {
    orgId,
    repositoryId: id,
    headRef: 'topic',
    headSha: proposed,
    baseRef: 'main',
    baseSha: base,
    title: 'Two',
    body: '',
    draft: false,
    evidence: [],
    author: { type: 'user', id: 'usr_1' },
    sessionId: '',
  });
  await ada.git(work, 'push', '-q', url, ':topic');
  const hosted = api.ctx.gitHost.open(orgId, id);

  await prune(id, restorableMs - dayMs);
  expect(await hosted.resolve(secret)).toBe(secret);

  await prune(id, restorableMs + 2 * dayMs);
  expect(await hosted.resolve(secret)).toBeUndefined();
  const clone = await ada.start({ 'x.txt': 'x' });
  await expect(ada.git(clone, 'fetch', '-q', url, secret)).rejects.toThrow(/not our ref/);
  const diff = await api.call('GET', `${repositories}/${id}/change-requests/${row.number}/diff`);
  expect(diff.json['additions']).toBe(1);
  expect(await hosted.resolve('main')).toBe(base);
  expect(await hosted.resolve(begun)).toBe(begun);
});

test('what many pushes brought is packed in the background, and fetched as before', async () => {
  const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/packed' } });
  const url = withKey(String(json['clone_url']), api.adminKey);
  const path = join(api.ctx.config.repositories, orgId, `${String(json['id'])}.git`);
  const work = await ada.start({ 'a.txt': countedText('pushed') });
  await ada.git(work, 'push', '-q', url, 'main', 'main:topic');
  await expect.poll(() => readdir(join(path, 'refs/heads'))).toEqual([]);
  await expect.poll(async () => (await git(['count-objects'], { gitDir: path })).stdout).toMatch(/^0 /);
  const heads = await ada.git(work, 'ls-remote', '--heads', url);
  const head = await ada.git(work, 'rev-parse', 'HEAD');
  expect(heads.split('\n')).toEqual([`${head}\trefs/heads/main`, `${head}\trefs/heads/topic`]);
  const branches = await api.call('GET', `${repositories}/${String(json['id'])}/branches`);
  expect(branches.json).toMatchObject({ items: [{ name: 'main' }, { name: 'topic' }] });
  const many = Array.from({ length: 100 }, (_, number) => `main:many/${number}`);
  await ada.git(work, 'push', '-q', url, ...many);
  await expect.poll(() => readdir(join(path, 'refs/heads'))).toEqual([]);
});
