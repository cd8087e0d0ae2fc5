import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { measureRepositories } from '../repositories/size-service.ts';
import { sweepLedger } from './ledger-service.ts';
import { storageOf } from './quota-service.ts';

const mebibyte = 1024 ** 2;
const root = '/v3/organizations/default';

let api: TestApi;
let elsewhere: { id: string; slug: string; key: string };
let directory: string;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_STORAGE_MAX: '10MiB' });
  elsewhere = await api.createOrganization('Elsewhere');
  directory = await mkdtemp(join(tmpdir(), 'guildhall-storage-'));
  orgId = String((await api.call('GET', root)).json['id']);
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true, force: true });
});

async function upload(bytes: number, { key = api.adminKey, organization = 'default', at = api } = {}): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([randomBytes(bytes)]), 'data.bin');
  const response = await fetch(`${at.url}/v3/organizations/${organization}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

const used = async (of = orgId): Promise<number> => (await storageOf(api.ctx, api.ctx.db.kysely, of)).usedBytes;

async function kept(prefix: string): Promise<number> {
  let bytes = 0;
  for await (const { sizeBytes } of api.ctx.blobs.list(prefix)) bytes += sizeBytes;
  return bytes;
}

/** Runs git as a user; returns its output, and if it failed. */
async function git(cwd: string, ...args: string[]): Promise<{ failed: boolean; said: string }> {
  const header = `http.extraHeader=authorization: Bearer ${api.adminKey}`;
  const config = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', header];
  const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
  const { failed, all } = await execa('git', [...config, ...args], { cwd, env, all: true, reject: false });
  return { failed, said: all };
}

/** Creates a work tree with a commit on `main`, whose remote is a new repository of the organization. */
async function workTree(name: string): Promise<{ id: string; cwd: string; commit: (bytes: number) => Promise<void> }> {
  const { json } = await api.call('POST', `${root}/repositories`, {
    body: { provider: 'local', repo: `acme/${name}` },
  });
  const cwd = join(directory, name);
  await git(directory, 'init', '-q', '-b', 'main', cwd);
  await git(cwd, 'remote', 'add', 'origin', String(json['clone_url']));
  const commit = async (bytes: number): Promise<void> => {
    await writeFile(join(cwd, `${randomBytes(6).toString('hex')}.bin`), randomBytes(bytes));
    await git(cwd, 'add', '-A');
    await git(cwd, 'commit', '-q', '-m', 'more');
  };
  return { id: String(json['id']), cwd, commit };
}

async function removeAttachments(): Promise<void> {
  const { json } = await api.call('GET', `${root}/attachments?first=200`);
  const items = Array.isArray(json['items']) ? json['items'] : [];
  for (const { id } of items) expect((await api.call('DELETE', `${root}/attachments/${id}`)).status).toBe(204);
}

test('an organization sees what it keeps, by kind, and what it may keep', async () => {
  const storage = async (of: { key: string; slug: string }) =>
    (await api.call('GET', `/v3/organizations/${of.slug}/storage`, { key: of.key })).json;
  const mine = { key: api.adminKey, slug: 'default' };
  const before = await storage(mine);
  const others = await storage(elsewhere);
  await upload(2 * mebibyte);
  const { id } = await workTree('seen');
  for (const kind of ['artifacts', 'checkpoints']) await api.ctx.blobs.put(`${kind}/${orgId}/x/1`, randomBytes(1_000));
  await api.ctx.blobs.put(`checkpoints/${orgId}/x/1`, randomBytes(3_000));
  const counted = await storage(mine);
  const by_kind = Object(counted['by_kind']);
  expect(counted).toEqual({ used_bytes: await used(), max_bytes: 10 * mebibyte, by_kind });
  const { repositories, ...rest } = by_kind;
  expect(rest).toEqual({ artifacts: 1_000, attachments: 2 * mebibyte, checkpoints: 3_000, wikis: 0 });
  expect(repositories).toBeGreaterThan(Object(before['by_kind']).repositories);
  expect(counted['used_bytes']).toBe(repositories + 4_000 + 2 * mebibyte);
  expect(await storage(elsewhere)).toEqual(others);
  for (const kind of ['artifacts', 'checkpoints']) await api.ctx.blobs.delete(`${kind}/${orgId}/x/1`);
  await removeAttachments();
  expect(Object((await storage(mine))['by_kind'])).toEqual({
    artifacts: 0,
    attachments: 0,
    checkpoints: 0,
    repositories,
    wikis: 0,
  });
  expect((await api.call('DELETE', `${root}/repositories/${id}`)).status).toBe(204);
});

test('the operator sees what each organization keeps, as lines and as JSON', async () => {
  await upload(mebibyte);
  const admin = new URL('../../admin.ts', import.meta.url).pathname;
  const env = { DATABASE_URL: api.connectionString, GUILDHALL_STORAGE_MAX: '10MiB' };
  const list = async (...args: string[]) =>
    (await execa(process.execPath, [admin, 'storage', ...args], { env, cwd: directory })).stdout;
  const { json } = await api.call('GET', `${root}/storage`);
  expect(JSON.parse(await list('--json'))).toContainEqual({ slug: 'default', ...json });
  const lines = (await list()).split('\n');
  expect(lines[0]).toBe('Each organization may keep 10 MiB (GUILDHALL_STORAGE_MAX).');
  expect(lines[1]).toMatch(/all +of it +repositories +artifacts +attachments +checkpoints +wikis$/);
  expect(lines.find((line) => line.includes('default '))).toMatch(/ 1(\.\d)? MiB +1\d % .* 1 MiB +0 B +0 B$/);
  await removeAttachments();
});

describe('attachments', () => {
  test('of an organization keep no more bytes than the operator allows, whatever arrives at once', async () => {
    const before = await used();
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(3 * mebibyte)));
    const taken = answers.filter(({ status }) => status === 201);
    expect([taken.length, answers.filter(({ status }) => status === 402).length]).toEqual([3, 5]);
    expect(await used()).toBe(before + 9 * mebibyte);
    expect(await kept(`attachments/${orgId}/`)).toBe(9 * mebibyte);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.json).toMatchObject({ error: 'budget_exceeded', details: { max_bytes: 10 * mebibyte } });
    expect(refused?.json['message']).toMatch(/of 10 MiB in files.*does not fit.*Delete sessions or attachments/);
    // The limit is exact: the last byte fits, one more does not.
    expect((await upload(10 * mebibyte - (await used()))).status).toBe(201);
    expect((await upload(1)).status).toBe(402);
    expect((await upload(3 * mebibyte, { key: elsewhere.key, organization: elsewhere.slug })).status).toBe(201);
    await removeAttachments();
    expect(await used()).toBe(before);
    expect((await upload(1)).status).toBe(201);
    await removeAttachments();
  });

  test('that break off leave nothing behind, and are not counted', async () => {
    const before = await used();
    const form = new FormData();
    form.append('file', new Blob([randomBytes(5 * mebibyte)]), 'data.bin');
    form.append('file', new Blob(['x']), 'second.bin');
    const headers = { authorization: `Bearer ${api.adminKey}` };
    const { status } = await fetch(`${api.url}${root}/attachments`, { method: 'POST', headers, body: form });
    expect([status, await used(), await kept(`attachments/${orgId}/`)]).toEqual([400, before, 0]);
  });
});

test('an organization that keeps all that it may begins no session and no wiki; it reads and deletes as before', async () => {
  const session = { body: { prompt: 'Look.', repositories: [] } };
  const { json: begun } = await api.call('POST', `${root}/sessions`, session);
  const { id } = await workTree('described');
  const wiki = `${root}/repositories/${id}/wiki`;
  await upload(10 * mebibyte - (await used()));
  const refused = await api.call('POST', `${root}/sessions`, session);
  expect([refused.status, refused.json['error']]).toEqual([402, 'budget_exceeded']);
  expect(
    (await api.call('POST', `${root}/repositories`, { body: { provider: 'local', repo: 'acme/late' } })).status,
  ).toBe(402);
  const unmade = await api.call('POST', `${wiki}/regenerate`, { body: {} });
  expect([unmade.status, unmade.json['error']]).toEqual([402, 'budget_exceeded']);
  expect((await api.call('GET', wiki)).json['state']).toBe('none');
  expect((await api.call('GET', `${root}/sessions/${String(begun['id'])}`)).status).toBe(200);
  expect((await api.call('DELETE', `${root}/sessions/${String(begun['id'])}?force=true`)).status).toBe(204);
  await removeAttachments();
  expect((await api.call('POST', `${root}/sessions`, session)).status).toBe(201);
});

describe('repositories', () => {
  test('count with their size on disk, and refuse a push beyond the quota, which git reports', async () => {
    const before = await used();
    const { id, cwd, commit } = await workTree('pushed');
    await commit(2 * mebibyte);
    expect(await git(cwd, 'push', '-q', 'origin', 'main')).toMatchObject({ failed: false });
    expect((await used()) - before).toBeGreaterThan(2 * mebibyte);
    expect((await used()) - before).toBeLessThan(2.5 * mebibyte);
    await commit(9 * mebibyte);
    const tooMuch = await git(cwd, 'push', 'origin', 'main:more');
    // In memory, directories have no size, so that the rest rounds up.
    expect(tooMuch).toMatchObject({
      failed: true,
      said: expect.stringMatching(
        /main -> more \(Limit reached: the organization stores .*does not fit into the (?:7\.\d|8) MiB/,
      ),
    });
    const full = await used();
    expect(full - before).toBeLessThan(2.5 * mebibyte);
    await upload(10 * mebibyte - full);
    await git(cwd, 'reset', '-q', '--hard', 'HEAD~1');
    await commit(1);
    const refused = await git(cwd, 'push', 'origin', 'main:more');
    expect(refused).toMatchObject({
      failed: true,
      said: expect.stringMatching(/stores 10 MiB .*of 10 MiB in/),
    });
    // Deletions are always allowed.
    await removeAttachments();
    expect(await git(cwd, 'push', '-q', 'origin', 'main:more')).toMatchObject({ failed: false });
    await upload(10 * mebibyte - (await used()));
    expect(await git(cwd, 'push', '-q', 'origin', ':more')).toMatchObject({ failed: false });
    await removeAttachments();
    expect((await api.call('DELETE', `${root}/repositories/${id}`)).status).toBe(204);
  });

  test('are imported as far as there is room, and leave nothing where there is not enough', async () => {
    const open = await api.another({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.0/8' });
    try {
      const { cwd, commit } = await workTree('imported');
      await commit(3 * mebibyte);
      await git(cwd, 'push', '-q', 'origin', 'main');
      const { origin, pathname } = new URL((await git(cwd, 'remote', 'get-url', 'origin')).said);
      const import_url = `${origin.replace('//', `//x:${api.adminKey}@`)}${pathname}`;
      const before = await used();
      const bring = (repo: string) =>
        open.call('POST', `${root}/repositories`, { body: { provider: 'local', repo, import_url } });
      await upload(8 * mebibyte - before);
      const refused = await bring('acme/too-large');
      expect([refused.status, refused.json['error']]).toEqual([402, 'budget_exceeded']);
      expect(refused.json['message']).toMatch(/does not fit into the 2 MiB that are left/);
      expect(await used()).toBe(8 * mebibyte);
      await removeAttachments();
      expect((await bring('acme/fits')).status).toBe(201);
      expect((await used()) - before).toBeGreaterThan(3 * mebibyte);
    } finally {
      await open.close();
    }
  });

  test('that are deleted count until they are purged, and what nobody measured is measured by the upkeep', async () => {
    const before = await used();
    const { ctx } = api;
    await ctx.db.pool.query(`delete from stored_bytes where key like 'repositories/%'`);
    const others = await used();
    expect(others).toBeLessThan(before - mebibyte);
    await measureRepositories(ctx);
    // Git may have added or removed directories since the last measurement.
    expect(Math.abs((await used()) - before)).toBeLessThan(mebibyte / 8);
  });
});

test('the nightly sweep counts stored blobs, and forgets missing ones', async () => {
  const { ctx } = api;
  const before = await used();
  const session = `checkpoints/${orgId}/ses_sweep`;
  await ctx.blobs.put(`${session}/1-1-0`, randomBytes(1_000));
  await ctx.blobs.put(`${session}/1-2-0`, randomBytes(2_000));
  await ctx.blobs.put(`${session}/1-3-0`, randomBytes(4_000));
  expect((await used()) - before).toBe(7_000);
  const count = (text: string, ...values: unknown[]) => ctx.db.pool.query(text, values);
  await count('delete from stored_bytes where key = $1', `${session}/1-1-0`);
  await count('update stored_bytes set size_bytes = 9 where key = $1', `${session}/1-2-0`);
  await count('insert into stored_bytes (key, org_id, size_bytes) values ($1, $2, 50)', `${session}/1-0-0`, orgId);
  await count('insert into stored_bytes (key, org_id, size_bytes) values ($1, $2, 60)', `${session}/1-9-0`, orgId);
  await sweepLedger(ctx);
  // A row without a blob may be a running upload, for a day.
  expect((await used()) - before).toBe(7_110);
  await count(`update stored_bytes set updated_at = now() - interval '2 days'`);
  await sweepLedger(ctx);
  expect((await used()) - before).toBe(7_000);
  for (const number of [1, 2, 3]) await ctx.blobs.delete(`${session}/1-${number}-0`);
  expect(await used()).toBe(before);
});

test('below the free space that the operator wants, nothing large is taken, and it is told of', async () => {
  const scarce = await api.another({ GUILDHALL_DISK_RESERVE: '1000TiB' });
  try {
    const answer = await upload(10, { at: scarce });
    expect([answer.status, answer.json['error']]).toEqual([503, 'capacity_unavailable']);
    const body = { provider: 'local', repo: 'acme/scarce' };
    expect((await scarce.call('POST', `${root}/repositories`, { body })).status).toBe(503);
    const { cwd, commit } = await workTree('scarce');
    await commit(10);
    const remote = `${scarce.url}/git/default/acme/scarce.git`;
    expect(await git(cwd, 'push', remote, 'main')).toMatchObject({
      failed: true,
      said: expect.stringMatching(/too little free disk/),
    });
    expect((await scarce.call('GET', '/readyz')).json).toMatchObject({ status: 'ready', disk: 'low' });
    expect((await api.call('GET', '/readyz')).json).toMatchObject({ disk: 'ok' });
  } finally {
    await scarce.close();
  }
});
