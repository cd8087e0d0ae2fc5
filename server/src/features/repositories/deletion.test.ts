import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { take } from '../../../test/support/session-states.ts';
import { sweep } from '../../runtime/sweep.ts';
import { secretsForSession } from '../secrets/public.ts';
import { openChangeRequest } from '../../../test/support/change-requests.ts';
import { countWiki } from '../storage/ledger-service.ts';
import { purgeRepositories } from './purge-service.ts';
import { restorableMs } from './restorable.ts';

let api: TestApi;
let ada: GitUser;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  orgId = String((await api.call('GET', org)).json['id']);
});
afterAll(async () => {
  await ada.close();
  await api.close();
});

const org = '/v3/organizations/default';
const path = `${org}/repositories`;
const minuteMs = 60_000;
let serial = 0;

interface Made {
  id: string;
  repo: string;
  /** Includes a key that may push. */
  url: string;
}

async function made(repo = `acme/project-${(serial += 1)}`): Promise<Made> {
  const { status, json } = await api.call('POST', path, { body: { provider: 'local', repo } });
  expect(status).toBe(201);
  return { id: String(json['id']), repo, url: withKey(String(json['clone_url']), api.adminKey) };
}

const errorOf = ({ status, json }: Answer): unknown[] => [status, json['error']];
const remove = (id: string): Promise<Answer> => api.call('DELETE', `${path}/${id}?force=true`);
const restore = (id: string, key = api.adminKey): Promise<Answer> =>
  api.call('POST', `${path}/${id}/restore`, { key, body: {} });

/** Creates and deletes a repository. */
async function deleted(repo?: string): Promise<Made> {
  const repository = await made(repo);
  expect((await remove(repository.id)).status).toBe(204);
  return repository;
}

function directoryOf(id: string): string {
  return join(api.ctx.config.repositories, orgId, `${id}.git`);
}

/** Moves a deletion back by this time. */
async function age(id: string, byMs: number): Promise<void> {
  const statement = `update repositories set deleted_at = deleted_at - $2 * interval '1 millisecond' where id = $1`;
  await api.ctx.db.pool.query(statement, [id, byMs]);
}

async function sessionOn(repo: string): Promise<string> {
  const { status, json } = await api.call('POST', `${org}/sessions`, {
    body: { prompt: 'x', repositories: [{ repo }] },
  });
  expect(status).toBe(201);
  return String(json['id']);
}

/** Pushes a branch and opens its change request, as a session does. */
async function propose({ id, url }: Made, work: string, sessionId: string): Promise<number> {
  const base = await ada.git(work, 'rev-parse', 'main');
  await ada.git(work, 'checkout', '-q', '-b', 'fix');
  const head = await ada.commit(work, { 'a.txt': 'two\n' });
  await ada.git(work, 'push', '-q', url, 'fix');
  const words = { title: 'Right the answer', body: '', draft: false, evidence: [] };
  const author = { type: 'session' as const, id: sessionId };
  const refs = { headRef: 'fix', headSha: head, baseRef: 'main', baseSha: base };
  const row = await openChangeRequest(api.ctx, {
    orgId,
    repositoryId: id,
    sessionId,
    author,
    ...refs,
    ...words,
  });
  return row.number;
}

test('a deleted one is there for nobody, its name begins anew, and a restoration brings all of it back', async () => {
  const repository = await made();
  const { id, repo, url } = repository;
  const work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', url, 'main');
  const session = await sessionOn(repo);
  const number = await propose(repository, work, session);
  const commented = await api.call('POST', `${path}/${id}/change-requests/${number}/comments`, {
    body: { body: 'Why?' },
  });
  const read = async () => (await api.call('GET', `${path}/${id}`)).json;
  await expect.poll(read).toMatchObject({ last_session_at: expect.any(String) });
  const before = await read();
  const head = await ada.git(work, 'rev-parse', 'fix');

  expect(errorOf(await api.call('DELETE', `${path}/${id}`))).toEqual([409, 'repository_in_use']);
  expect((await remove(id)).status).toBe(204);

  const none = [404, 'repository_not_found'];
  for (const at of ['', '/change-requests', `/change-requests/${number}`, `/change-requests/${number}/comments`])
    expect([at, ...errorOf(await api.call('GET', `${path}/${id}${at}`))]).toEqual([at, ...none]);
  expect(errorOf(await api.call('PATCH', `${path}/${id}`, { body: { default_branch: 'fix' } }))).toEqual(none);
  expect(errorOf(await api.call('POST', `${path}/${id}/change-requests/${number}/merge`, { body: {} }))).toEqual(none);
  expect((await api.call('GET', `${path}?search=${repo}`)).json['total']).toBe(0);
  expect((await api.call('GET', `${org}/sessions/${session}`)).json['change_requests']).toEqual([]);
  expect((await api.call('GET', `${org}/sessions/${session}/change-requests`)).json['total']).toBe(0);
  const asked = { prompt: 'x', repositories: [{ repo }] };
  expect(errorOf(await api.call('POST', `${org}/sessions`, { body: asked }))).toEqual(none);
  await expect(ada.git(ada.root, 'clone', url, `gone-${serial}`)).rejects.toThrow('not found');
  await expect(ada.git(work, 'push', url, 'main:more')).rejects.toThrow('not found');

  const anew = await made(repo);
  expect(await ada.git(ada.root, 'ls-remote', url)).toBe('');
  expect((await api.call('GET', `${path}/${anew.id}/change-requests`)).json['total']).toBe(0);
  const taken = await restore(id);
  expect(errorOf(taken)).toEqual([409, 'repository_exists']);
  expect(taken.json).toMatchObject({ message: expect.stringContaining(anew.id), details: { repository_id: anew.id } });

  expect((await remove(anew.id)).status).toBe(204);
  const restored = await restore(id);
  expect([restored.status, restored.json]).toEqual([200, before]);
  expect((await api.call('GET', `${path}/${id}`)).json).toEqual(before);
  await ada.git(ada.root, 'clone', '-q', '-b', 'fix', url, `back-${serial}`);
  expect(await ada.git(join(ada.root, `back-${serial}`), 'rev-parse', 'HEAD')).toBe(head);
  const comments = await api.call('GET', `${path}/${id}/change-requests/${number}/comments`);
  expect(comments.json['items']).toEqual([commented.json]);
  expect((await api.call('GET', `${org}/sessions/${session}`)).json['change_requests']).toMatchObject([{ number }]);
  const merged = await api.call('POST', `${path}/${id}/change-requests/${number}/merge`, { body: {} });
  expect(merged.json).toMatchObject({ state: 'merged' });
  const logs = await api.call('GET', `${org}/audit-logs?resource_type=repository&order=asc&first=200`);
  const acts = Object(logs.json['items']).filter(({ resource }: { resource: { id: string } }) => resource.id === id);
  const actions = acts.map(({ action }: { action: string }) => action);
  expect(actions.filter((action: string) => action !== 'repository.push')).toEqual([
    'repository.create',
    'repository.delete',
    'repository.restore',
  ]);
});

describe('those that can be restored', () => {
  test('are listed with when they were deleted and without an address, apart from those that are there', async () => {
    const one = await deleted('listed/one');
    const two = await deleted('listed/two');
    await made('listed/three');
    const { json } = await api.call('GET', `${path}?deleted=true&search=listed/`);
    expect(json).toMatchObject({
      total: 2,
      items: [two, one].map(({ id, repo }) => ({ id, repo, deleted_at: expect.stringMatching(/Z$/), clone_url: '' })),
    });
    const first = (await api.call('GET', `${path}?deleted=true&search=listed/&first=1`)).json;
    const cursor = encodeURIComponent(String(first['end_cursor']));
    const next = await api.call('GET', `${path}?deleted=true&search=listed/&first=1&after=${cursor}`);
    expect([first['items'], next.json['items']]).toMatchObject([[{ id: two.id }], [{ id: one.id }]]);
    const elsewhere = await api.call('GET', `${path}?search=listed/&after=${cursor}`);
    expect(errorOf(elsewhere)).toEqual([400, 'invalid_cursor']);
    expect((await api.call('GET', `${path}?search=listed/`)).json).toMatchObject({
      total: 1,
      items: [{ repo: 'listed/three', deleted_at: null }],
    });
  });

  test('are those of the last 30 days: after that one is 404, though it is not purged yet', async () => {
    const { id, repo } = await deleted();
    await age(id, restorableMs - minuteMs);
    expect((await api.call('GET', `${path}?deleted=true&search=${repo}`)).json['total']).toBe(1);
    await age(id, minuteMs);
    expect((await api.call('GET', `${path}?deleted=true&search=${repo}`)).json['total']).toBe(0);
    expect(errorOf(await restore(id))).toEqual([404, 'repository_not_found']);
    await age(id, -minuteMs);
    expect((await restore(id)).status).toBe(200);
  });

  test('are of one organization: to another one they do not exist', async () => {
    const other = await api.createOrganization('Elsewhere');
    const { id, repo } = await deleted();
    const theirs = `/v3/organizations/${other.slug}/repositories`;
    const listed = await api.call('GET', `${theirs}?deleted=true`, { key: other.key });
    expect(listed.json['total']).toBe(0);
    const answer = await api.call('POST', `${theirs}/${id}/restore`, { key: other.key, body: {} });
    expect(errorOf(answer)).toEqual([404, 'repository_not_found']);
    expect((await api.call('GET', `${path}?deleted=true&search=${repo}`)).json['total']).toBe(1);
  });
});

describe('restoring', () => {
  test('an existing one is 409, an unknown one is 404, and it takes repos:write', async () => {
    const { id } = await made();
    expect(errorOf(await restore(id))).toEqual([409, 'conflict']);
    expect(errorOf(await restore(`repo_${'0'.repeat(26)}`))).toEqual([404, 'repository_not_found']);
    await remove(id);
    expect(errorOf(await restore(id, await api.keyWith(['repos:read'])))).toEqual([403, 'forbidden']);
    expect((await restore(id, await api.keyWith(['repos:write']))).status).toBe(200);
    expect(errorOf(await restore(id))).toEqual([409, 'conflict']);
  });

  test('of several of one name, asked for at once, brings one back', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await deleted('acme/same')).id);
    const answers = await Promise.all(ids.map((id) => restore(id)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect((await api.call('GET', `${path}?search=acme/same`)).json['total']).toBe(1);
  });

  test('is not needed twice: of several deletions at once one counts', async () => {
    const { id } = await made();
    const answers = await Promise.all([remove(id), remove(id), remove(id)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404, 404]);
  });
});

describe('meanwhile', () => {
  const server = { name: 'Tools', url: 'https://tools.example.com', access: 'repositories' };

  test('its secrets are none: not to be read, written or chosen, and no session gets them', async () => {
    const { id, repo } = await made();
    const session = await sessionOn(repo);
    const run = await take(api, session);
    const body = { key: 'DEPLOY', value: 'x', scope: 'repository', repo };
    const secret = String((await api.call('POST', `${org}/secrets`, { body })).json['id']);
    const held = async () => (await secretsForSession(api.ctx, run)).filter(({ id: one }) => one === secret).length;
    expect(await held()).toBe(1);
    await remove(id);
    await made(repo);
    expect(await held()).toBe(0);
    const none = [404, 'secret_not_found'];
    const at = `${org}/secrets/${secret}`;
    expect(errorOf(await api.call('GET', `${at}/usage`))).toEqual(none);
    expect(errorOf(await api.call('PUT', at, { body: { value: 'y' } }))).toEqual(none);
    expect(errorOf(await api.call('PATCH', at, { body: { note: 'y' } }))).toEqual(none);
    expect(errorOf(await api.call('DELETE', at))).toEqual(none);
    expect((await api.call('GET', `${org}/secrets?first=200`)).text).not.toContain(secret);
    const chosen = { prompt: 'x', repositories: [{ repo }], secret_ids: [secret] };
    expect(errorOf(await api.call('POST', `${org}/sessions`, { body: chosen }))).toEqual(none);
  });

  test('its tool servers are for the others, can be changed, and are its own again afterwards', async () => {
    const { id, repo } = await made();
    const made_ = await api.call('POST', `${org}/mcp-servers`, { body: { ...server, repos: [repo] } });
    const at = `${org}/mcp-servers/${String(made_.json['id'])}`;
    await remove(id);
    expect((await api.call('GET', at)).json['repos']).toEqual([]);
    expect((await api.call('PATCH', at, { body: { description: 'Other' } })).status).toBe(200);
    await restore(id);
    expect((await api.call('GET', at)).json).toMatchObject({ description: 'Other', repos: [`local:${repo}`] });
  });

  test('a tool server that is given other repositories is no longer for it', async () => {
    const [kept, gone] = [await made(), await made()];
    const made_ = await api.call('POST', `${org}/mcp-servers`, { body: { ...server, repos: [kept.repo, gone.repo] } });
    const at = `${org}/mcp-servers/${String(made_.json['id'])}`;
    await remove(gone.id);
    await api.call('PATCH', at, { body: { name: 'Same', repos: [kept.repo] } });
    await restore(gone.id);
    expect(Object((await api.call('GET', at)).json['repos'])).toHaveLength(2);
    const other = await made();
    await remove(gone.id);
    await api.call('PATCH', at, { body: { repos: [other.repo] } });
    await restore(gone.id);
    expect((await api.call('GET', at)).json['repos']).toEqual([`local:${other.repo}`]);
  });
});

test("a deleted repository is not among its git connection's", async () => {
  const { slug, key } = await api.createOrganization('Connected');
  const theirs = `/v3/organizations/${slug}`;
  const connections = (await api.call('GET', `${theirs}/git-connections`, { key })).text;
  const connection = `${theirs}/git-connections/${/gc_\w+/.exec(connections)?.[0] ?? ''}`;
  const body = { provider: 'local', repo: 'acme/only' };
  const { json } = await api.call('POST', `${theirs}/repositories`, { key, body });
  expect((await api.call('GET', `${connection}/repositories`, { key })).json['total']).toBe(1);
  await api.call('DELETE', `${theirs}/repositories/${String(json['id'])}`, { key });
  expect((await api.call('GET', `${connection}/repositories`, { key })).json['total']).toBe(0);
});

describe('30 days after its deletion', () => {
  let gone: Made;
  let secret: string;
  beforeEach(async () => {
    gone = await made();
    const work = await ada.start({ 'a.txt': 'one\n' });
    await ada.git(work, 'push', '-q', gone.url, 'main');
    await propose(gone, work, await sessionOn(gone.repo));
    const body = { key: `K${serial}`, value: 'x', scope: 'repository', repo: gone.repo };
    secret = String((await api.call('POST', `${org}/secrets`, { body })).json['id']);
    await remove(gone.id);
  });

  function purge(afterMs: number, change: Partial<TestApi['ctx']> = {}): Promise<void> {
    const at = Date.now() + afterMs;
    return purgeRepositories({ ...api.ctx, ...change, clock: { now: () => new Date(at) } });
  }

  /** Returns its remaining rows and files. */
  async function left(): Promise<unknown[]> {
    const { rows } = await api.ctx.db.pool.query<{ n: number }>(
      `select (select count(*) from repositories where id = $1) + (select count(*) from change_requests where repository_id = $1)
         + (select count(*) from secrets where id = $2) as n`,
      [gone.id, secret],
    );
    return [Number(rows[0]?.n), existsSync(directoryOf(gone.id))];
  }

  test('nothing is left of it, it is on record as purged, and others are as they were', async () => {
    const kept = await made();
    const later = await deleted();
    await api.ctx.db.transaction((trx) => countWiki(trx, orgId, gone.id, 1_000));
    const wikis = async () => Object((await api.call('GET', `${org}/storage`)).json['by_kind']).wikis;
    await age(gone.id, restorableMs);
    await purge(0);
    expect([...(await left()), await wikis()]).toEqual([3, true, 1_000]);
    await purge(10 * minuteMs);
    expect([...(await left()), await wikis()]).toEqual([0, false, 0]);
    expect(errorOf(await restore(gone.id))).toEqual([404, 'repository_not_found']);
    for (const { id } of [kept, later]) expect(existsSync(directoryOf(id))).toBe(true);
    expect((await restore(later.id)).status).toBe(200);
    const { rows } = await api.ctx.db.pool.query(
      `select actor_type, changes ->> 'repo' as repo from audit_entries where action = 'repository.purge' and resource_id = $1`,
      [gone.id],
    );
    expect(rows).toEqual([{ actor_type: 'system', repo: gone.repo }]);
  });

  test('a purge that broke off anywhere is finished by the next one, and one more does nothing', async () => {
    const due = restorableMs + 10 * minuteMs;
    const broken = () => Promise.reject(new Error('the disk went away'));
    const gitHost = { ...api.ctx.gitHost };
    gitHost.open = (...ids) => ({ ...api.ctx.gitHost.open(...ids), remove: broken });
    await purge(due, { gitHost });
    expect(await left()).toEqual([3, true]);
    // Simulates a crash after the files were deleted.
    await purge(due, { db: { ...api.ctx.db, transaction: broken } });
    expect(await left()).toEqual([3, false]);
    await purge(due);
    expect(await left()).toEqual([0, false]);
    await purge(due);
    expect(await left()).toEqual([0, false]);
  });

  test('a restored one is not purged', async () => {
    await restore(gone.id);
    await purge(2 * restorableMs);
    expect(await left()).toEqual([3, true]);
  });

  test('workers remove the mirrors of those that were purged, and no others', async () => {
    const { id: kept } = await made();
    const { id: restorable } = await deleted();
    await age(gone.id, restorableMs);
    await purge(10 * minuteMs);
    const mirrorsDirectory = join(api.ctx.config.data, 'mirrors');
    const mirror = (id: string): string => join(mirrorsDirectory, orgId, 'gc_1', `${id}.git`);
    for (const id of [gone.id, kept, restorable]) await mkdir(mirror(id), { recursive: true });
    await mkdir(`${mirror(gone.id)}.lock`);
    const { db, log } = api.ctx;
    const sandbox = { sweep: async () => 0 };
    await sweep({ db, log, mirrorsDirectory, workDirectory: join(api.ctx.config.data, 'work'), sandbox });
    expect([gone.id, kept, restorable].map((id) => existsSync(mirror(id)))).toEqual([false, true, true]);
    expect(existsSync(`${mirror(gone.id)}.lock`)).toBe(false);
  });
});
