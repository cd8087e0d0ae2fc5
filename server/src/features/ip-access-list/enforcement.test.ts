import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { openStream } from '../../../test/support/event-stream.ts';
import { createGitUser, withKey } from '../../../test/support/git.ts';
import { prepareData, startServerProcess, temporaryDirectory } from '../../../test/support/server.ts';
import { sessionIn } from '../../../test/support/session-states.ts';
import { signRunCredential } from '../git/credentials.ts';
import { disableIpAccessList } from './service.ts';

const path = '/v3/organizations/default/ip-access-list';
const office = '192.0.2.7';
const fromOffice = { 'x-forwarded-for': office };

let api: TestApi;
let second: TestApi;
let orgId: string;
beforeAll(async () => {
  // The tests act as the proxy.
  api = await startTestApi({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
  second = await api.another();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterEach(() => disableIpAccessList(api.ctx, orgId));
afterAll(async () => {
  await second.close();
  await api.close();
});

/** Replaces the list, from the office's address. */
async function change(body: object): Promise<void> {
  const answer = await api.call('PUT', path, { body: { force: true, ...body }, headers: fromOffice });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Allows the office and no other address, including this machine. */
function allowOffice(): Promise<void> {
  return change({ enabled: true, entries: [{ cidr: office }] });
}

function refusal({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

const refused = [403, 'ip_not_allowed'];

describe('while the list is enabled', () => {
  test('every operation below /v3 and beside it refuses other addresses, on every process at once', async () => {
    expect((await second.call('GET', '/v3/self')).status).toBe(200);
    await allowOffice();
    for (const process of [api, second])
      for (const url of ['/v3/self', '/v3/organizations', '/v3/organizations/default', '/agents', path]) {
        expect([url, ...refusal(await process.call('GET', url))]).toEqual([url, ...refused]);
        expect((await process.call('GET', url, { headers: fromOffice })).status).toBe(200);
      }
    expect(refusal(await api.call('POST', '/agents', { body: { name: 'x' } }))).toEqual(refused);
    await change({ enabled: false, entries: [{ cidr: office }] });
    for (const process of [api, second]) expect((await process.call('GET', '/v3/self')).status).toBe(200);
  });

  test('each change holds with the next request, on every process', async () => {
    for (let round = 0; round < 20; round += 1) {
      const cidr = round % 2 === 0 ? '198.51.100.0/24' : '203.0.113.0/24';
      await change({ enabled: true, entries: [{ cidr: office }, { cidr }] });
      const answers = [api, second].map((process) =>
        process.call('GET', '/v3/self', { headers: { 'x-forwarded-for': '203.0.113.9' } }),
      );
      for (const answer of await Promise.all(answers)) expect(answer.status).toBe(round % 2 === 0 ? 403 : 200);
    }
  });

  test.each([
    ['192.0.2.7', 200],
    ['::ffff:192.0.2.7', 200],
    ['::ffff:c000:207', 200],
    ['192.0.2.8', 403],
    ['::ffff:192.0.2.8', 403],
    ['2001:db8:1::9', 200],
    ['2001:db9::1', 403],
    ['nowhere', 403],
  ])('%s answers %d', async (address, status) => {
    await change({ enabled: true, entries: [{ cidr: `::ffff:${office}` }, { cidr: '2001:db8::/32' }] });
    const answer = await api.call('GET', '/v3/self', { headers: { 'x-forwarded-for': address } });
    expect(answer.status).toBe(status);
  });

  test('a wrong key is 401 and the organization of another list is not concerned', async () => {
    const other = await api.createOrganization('Elsewhere');
    await allowOffice();
    expect((await api.call('GET', '/v3/self', { key: 'guild_wrong' })).status).toBe(401);
    expect((await api.call('GET', '/v3/self', { key: other.key })).status).toBe(200);
    const foreign = await api.call('GET', `/v3/organizations/${other.slug}`);
    expect(refusal(foreign)).toEqual(refused);
  });

  test('what a client says of itself counts only behind a trusted proxy', async () => {
    const direct = await api.another({ GUILDHALL_TRUSTED_PROXIES: '' });
    await allowOffice();
    expect(refusal(await direct.call('GET', '/v3/self', { headers: fromOffice }))).toEqual(refused);
    await change({ enabled: true, entries: [{ cidr: '127.0.0.1' }] });
    expect((await direct.call('GET', '/v3/self', { headers: fromOffice })).status).toBe(200);
    await direct.close();
    expect(refusal(await api.call('GET', '/v3/self', { headers: fromOffice }))).toEqual(refused);
  });

  test('git over HTTP with a key is refused, and the credential of a run is not', async () => {
    const body = { provider: 'local', repo: 'acme/guarded' };
    const { json } = await api.call('POST', '/v3/organizations/default/repositories', { body });
    const url = String(json['clone_url']);
    const git = await createGitUser();
    await git.git(git.root, 'ls-remote', withKey(url, api.adminKey));
    await allowOffice();
    await expect(git.git(git.root, 'ls-remote', withKey(url, api.adminKey))).rejects.toThrow(/403/);
    const { rows } = await api.ctx.db.pool.query("select id from organizations where slug = 'default'");
    const credential = signRunCredential(api.ctx, {
      org: String(rows[0]?.['id']),
      repository: String(json['id']),
      session: 'ses_none',
      fence: 1,
      branch: 'x',
      expires: Date.now() + 60_000,
    });
    await git.git(git.root, 'ls-remote', withKey(url.replace('/git/default/', '/git-run/'), credential));
    await git.close();
  });
});

test('an open stream ends when a change shuts its address out, and not before', async () => {
  const session = await sessionIn(api, 'running');
  const streams = await Promise.all([api, second].map((at) => openStream(at, `${session.path}/events/stream`)));
  for (const stream of streams) await stream.reaches(2);
  let over = 0;
  const ends = streams.map((stream) => stream.ended.then(() => (over += 1)));
  await change({ enabled: true, entries: [{ cidr: office }, { cidr: '127.0.0.1' }] });
  for (const process of [api, second]) expect((await process.call('GET', session.path)).status).toBe(200);
  expect(over).toBe(0);
  const changed = Date.now();
  await allowOffice();
  await Promise.all(ends);
  expect(Date.now() - changed).toBeLessThan(5_000);
});

test('a server of its own process refuses with the next request, and ends its streams', async () => {
  const session = await sessionIn(api, 'running');
  const data = temporaryDirectory();
  // It finds an organization in the database, so it creates no key itself.
  writeFileSync(join(data.path, 'admin-key'), api.adminKey);
  const server = await startServerProcess(data.path, ['--role', 'api'], {
    DATABASE_URL: api.connectionString,
    GUILDHALL_KEY_RING: api.ctx.config.keyRing,
    GUILDHALL_BLOBS: api.ctx.config.blobs,
    GUILDHALL_REPOSITORIES: api.ctx.config.repositories,
  });
  const stream = await openStream({ ...api, url: server.url }, `${session.path}/events/stream`);
  await stream.reaches(2);
  await allowOffice();
  expect(await server.call('GET', '/v3/self')).toMatchObject({ status: 403, json: { error: 'ip_not_allowed' } });
  await stream.ended;
  await change({ enabled: true, entries: [{ cidr: '127.0.0.0/8' }] });
  expect((await server.call('GET', '/v3/self')).status).toBe(200);
  server.process.kill('SIGTERM');
  await server.exited;
  data.remove();
}, 60_000);

test("the operator's act is on record", async () => {
  await disableIpAccessList(api.ctx, orgId);
  const { rows } = await api.ctx.db.pool.query(
    'select action, actor_type, actor_display from audit_entries order by id desc limit 1',
  );
  expect(rows).toEqual([{ action: 'ip_access_list.disable', actor_type: 'system', actor_display: 'operator' }]);
});

test("the operator's command lifts a lock-out of a running server", async () => {
  const data = temporaryDirectory();
  prepareData(data.path);
  const server = await startServerProcess(data.path, ['--role', 'api']);
  const lockOut = { enabled: true, force: true, entries: [{ cidr: office }] };
  expect((await server.call('PUT', path, lockOut)).status).toBe(200);
  expect(await server.call('GET', path)).toMatchObject({ status: 403, json: { error: 'ip_not_allowed' } });
  const admin = new URL('../../admin.ts', import.meta.url).pathname;
  const command = (...args: string[]) =>
    promisify(execFile)(process.execPath, [admin, 'ip-list', 'disable', '--data', data.path, ...args], {
      env: { ...process.env, DATABASE_URL: '' },
    });
  await expect(command()).rejects.toMatchObject({ code: 2 });
  await expect(command('--org', 'nobody')).rejects.toMatchObject({ code: 1, stderr: /nobody/ });
  expect(await server.call('GET', path)).toMatchObject({ status: 403 });
  expect((await command('--org', 'default')).stdout).toBe('The IP access list of default is disabled.\n');
  const answer = await server.call('GET', path);
  expect(answer).toMatchObject({ status: 200, json: { enabled: false, entries: [{ cidr: `${office}/32` }] } });
  server.process.kill('SIGTERM');
  await server.exited;
  data.remove();
}, 120_000);
