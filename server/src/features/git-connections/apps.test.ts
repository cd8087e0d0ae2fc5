import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGithubFake, type GithubFake } from '../../../test/hosts/github/fake.ts';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { startDeliveries } from '../hooks/jobs.ts';

const org = '/v3/organizations/default';
const connections = `${org}/git-connections`;

let api: TestApi;
let github: GithubFake;
beforeAll(async () => {
  [api, github] = await Promise.all([startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' }), startGithubFake()]);
  await github.create('acme/app');
  startDeliveries(api.ctx);
});
afterAll(async () => {
  expect(github.problems).toEqual([]);
  await api.close();
  await github.close();
});

const prepare = (key?: string) =>
  api.call('POST', `${connections}/app-manifests`, {
    ...(key === undefined ? {} : { key }),
    body: { host: github.url, github_organization: 'acme' },
  });
const convert = (code: string, state: unknown) =>
  api.call('POST', `${connections}/apps`, { body: { code, state: String(state) } });

test('an App is created by its manifest, installed, connected, and delivers', async () => {
  const prepared = await prepare();
  expect(prepared.status, prepared.text).toBe(201);
  const { state } = prepared.json;
  expect(prepared.json['url']).toBe(`${github.url}/organizations/acme/settings/apps/new?state=${String(state)}`);
  const manifest: unknown = JSON.parse(String(prepared.json['manifest']));
  expect(manifest).toMatchObject({
    public: false,
    hook_attributes: { url: expect.stringMatching(/\/v3\/hooks\/hook_app_\w+$/) },
    default_permissions: { checks: 'write', contents: 'write' },
  });
  expect(JSON.stringify(manifest)).not.toContain('workflows');
  github.codes.add('once');
  const made = await convert('once', state);
  expect([made.status, made.json]).toMatchObject([201, { app_id: '4711', slug: 'guildhall' }]);
  expect(made.text).not.toMatch(/PRIVATE KEY|the secret of the App/);
  const id = String(made.json['id']);
  const connect = (installation: string) =>
    api.call('POST', connections, {
      body: { provider: 'github', kind: 'app', app_id: id, installation_id: installation },
    });
  expect((await connect('999')).status).toBeGreaterThanOrEqual(400);
  const connection = await connect('1138');
  expect([connection.status, connection.json]).toMatchObject([
    201,
    {
      kind: 'app',
      account: 'guildhall[bot]',
      state: 'connected',
      app_id: id,
      webhook_url: Object(manifest).hook_attributes.url,
    },
  ]);
  expect((await api.call('GET', `${connections}/apps`)).json).toMatchObject({ total: 1, items: [{ ...made.json }] });
  const rotate = `${connections}/${String(connection.json['id'])}/rotate-webhook-secret`;
  expect((await api.call('POST', rotate, { body: {} })).status).toBe(409);
  const body = { provider: 'github', repo: 'acme/app', connection_id: connection.json['id'] };
  const repository = await api.call('POST', `${org}/repositories`, { body });
  expect(repository.status, repository.text).toBe(201);

  const raw = JSON.stringify({ repository: { full_name: 'acme/app' }, action: 'opened', issue: { number: 3 } });
  const signature = createHmac('sha256', 'the secret of the App').update(raw).digest('hex');
  const { pathname } = new URL(String(Object(Object(manifest).hook_attributes).url));
  const headers = {
    'x-hub-signature-256': `sha256=${signature}`,
    'x-github-delivery': 'd1',
    'x-github-event': 'issues',
  };
  expect((await api.call('POST', pathname, { key: '', raw, headers })).status).toBe(202);
  const received = async () => {
    const { rows } = await api.ctx.db.pool.query(
      "select data from outbox_events where type = 'delivery.received' and resource_id = $1",
      [repository.json['id']],
    );
    return rows;
  };
  await expect.poll(received, { timeout: 60_000 }).toMatchObject([{ data: { type: 'issue', number: 3 } }]);
});

test('a host that is none is refused', async () => {
  for (const host of ['a"b', 'javascript:alert(1)', 'https://user@github.example.com', 'a;b'])
    expect([host, (await api.call('POST', `${connections}/app-manifests`, { body: { host } })).status]).toEqual([
      host,
      400,
    ]);
});

test("a state is for one use by the one who began, and GitHub's code is checked", async () => {
  const { state } = (await prepare()).json;
  expect((await convert('unknown', state)).status).toBe(502);
  github.codes.add('again');
  const used = await convert('again', state);
  expect([used.status, String(used.json['message'])]).toEqual([400, expect.stringContaining('body.state')]);
  const other = await api.keyWith(['repos:write']);
  const theirs = (await prepare(other)).json['state'];
  expect((await convert('again', theirs)).status).toBe(400);
  expect(github.codes.has('again')).toBe(true);
});
