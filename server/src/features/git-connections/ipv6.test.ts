import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGithubFake, type GithubFake } from '../../../test/hosts/github/fake.ts';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';

const org = '/v3/organizations/default';
const connections = `${org}/git-connections`;

let api: TestApi;
let closed: TestApi;
let github: GithubFake;
beforeAll(async () => {
  github = await startGithubFake('ghes-3.19', '::1');
  [api, closed] = await Promise.all([
    startTestApi({ GUILDHALL_EGRESS_ALLOW: `git=[::1]:${new URL(github.url).port}` }),
    startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.0/8,git=fd00::/8,webhook=::1/128' }),
  ]);
  await github.create('acme/app');
});
afterAll(async () => {
  expect(github.problems).toEqual([]);
  await api.close();
  await closed.close();
  await github.close();
});

test('a host by its IPv6 address is connected as an App and read, once the operator allows it', async () => {
  expect(github.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  // Another spelling of the address.
  const host = github.url.replace('[::1]', '[0:0:0:0:0:0:0:1]');
  const prepare = (at: TestApi) => at.call('POST', `${connections}/app-manifests`, { body: { host } });
  const prepared = await prepare(api);
  expect([prepared.status, prepared.json['url']]).toEqual([
    201,
    `${github.url}/settings/apps/new?state=${String(prepared.json['state'])}`,
  ]);
  github.codes.add('one');
  const convert = (at: TestApi, state: unknown) =>
    at.call('POST', `${connections}/apps`, { body: { code: 'one', state } });
  const refused = await convert(closed, (await prepare(closed)).json['state']);
  expect([refused.status, refused.json['message']]).toEqual([
    502,
    `${new URL(github.url).host} is not reachable: its address is not public (loopback). An operator can allow it in GUILDHALL_EGRESS_ALLOW for git.`,
  ]);
  const made = await convert(api, prepared.json['state']);
  expect([made.status, made.json], made.text).toMatchObject([
    201,
    { host: new URL(github.url).host, installation_url: `${github.url}/github-apps/guildhall/installations/new` },
  ]);
  const connect = { provider: 'github', kind: 'app', app_id: made.json['id'], installation_id: '1138' };
  const connection = await api.call('POST', connections, { body: connect });
  expect([connection.status, connection.json['state']], connection.text).toEqual([201, 'connected']);
  const connectionId = String(connection.json['id']);
  const body = { provider: 'github', repo: 'acme/app', connection_id: connectionId };
  const repository = await api.call('POST', `${org}/repositories`, { body });
  expect(repository.status, repository.text).toBe(201);
  const { rows } = await api.ctx.db.pool.query<{ org_id: string; id: string }>('select org_id, id from repositories');
  const ref = { orgId: rows[0]?.org_id ?? '', id: rows[0]?.id ?? '', connectionId, repo: 'acme/app' };
  const source = api.ctx.sourceControl.of('github');
  const head = await source.branchHead(ref, 'main');
  expect(head).toMatch(/^[0-9a-f]{40}$/);
  expect(await source.resolve(ref, 'main')).toBe(head);
  const rotated = await api.call('POST', `${connections}/apps/${String(made.json['id'])}/rotate-webhook-secret`, {
    body: {},
  });
  expect(rotated.status, rotated.text).toBe(200);
});

test.each(['fd00::1', '[fd00::1', '[::g]', '[fe80::1%25eth0]', '[::1]@evil.example', 'https://[::1]:8443/?a=b'])(
  'what is no address of a host is refused: %s',
  async (host) => {
    const { status, json } = await api.call('POST', `${connections}/app-manifests`, { body: { host } });
    expect([status, json['message']]).toEqual([400, expect.stringContaining('An IPv6 address must be in brackets')]);
  },
);
