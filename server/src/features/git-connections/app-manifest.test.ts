import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGithubFake, type GithubFake } from '../../../test/hosts/github/fake.ts';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';

const connections = '/v3/organizations/default/git-connections';
const conversions = /^\/app-manifests\/[^/]+\/conversions$/;

let api: TestApi;
let github: GithubFake;
beforeAll(async () => {
  [api, github] = await Promise.all([startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' }), startGithubFake()]);
});
afterAll(async () => {
  expect(github.problems).toEqual([]);
  await api.close();
  await github.close();
});

let state = '';
let code = '';
let before = 0;
beforeEach(async () => {
  const prepared = await api.call('POST', `${connections}/app-manifests`, { body: { host: github.url } });
  state = String(prepared.json['state']);
  code = crypto.randomUUID();
  github.codes.add(code);
  before = await apps();
});

const convert = (given: object = {}) => api.call('POST', `${connections}/apps`, { body: { code, state, ...given } });
const apps = async () => Number((await api.call('GET', `${connections}/apps`)).json['total']);
const errorOf = ({ status, json }: Answer) => [status, json['error'], String(json['message'])];
const states = async () => (await api.ctx.db.pool.query('select claimed_until from git_app_manifests')).rows;
const exchanges = () => github.requests.filter(({ path }) => conversions.test(path)).length;

test('two callbacks at once make one App', async () => {
  const asked = exchanges();
  const answers = await Promise.all([convert(), convert(), convert()]);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(2);
  for (const answer of refused) expect([400, 409], answer.text).toContain(answer.status);
  expect([exchanges() - asked, (await apps()) - before, await states()]).toEqual([1, 1, []]);
  expect(errorOf(await convert())).toEqual([400, 'invalid_request', expect.stringContaining('was used')]);
});

test('while GitHub does not respond, the same request can be sent again', async () => {
  for (const answer of [undefined, { status: 503 }]) {
    github.fail({ path: conversions, ...(answer === undefined ? {} : { answer }) });
    expect(errorOf(await convert()).slice(0, 2)).toEqual([502, 'upstream_error']);
    expect(await states()).toEqual([{ claimed_until: null }]);
  }
  expect((await convert()).status).toBe(201);
  expect([(await apps()) - before, await states()]).toEqual([1, []]);
});

test.each([
  ['404', { status: 404, body: '{"message":"Not Found"}' }, 'valid once'],
  ['422', { status: 422, body: '{"message":"Validation Failed"}' }, 'Validation Failed'],
  ['a description that is too long', { status: 201, body: `"${'x'.repeat(9_000_000)}"` }, 'too great length'],
  ['a description of something else', { status: 201, body: '{"id":1}' }, 'Check the host'],
])('GitHub’s refusal ends the state: %s', async (_, answer, says) => {
  github.fail({ path: conversions, answer });
  expect(errorOf(await convert())).toEqual([502, 'upstream_error', expect.stringContaining(says)]);
  expect([await apps(), await states()]).toEqual([before, []]);
  expect(errorOf(await convert())).toEqual([400, 'invalid_request', expect.stringContaining('body.state')]);
  expect(github.codes.has(code)).toBe(true);
});

test('an App whose page is elsewhere is not taken from the host', async () => {
  const { json } = await api.call('POST', `${connections}/app-manifests`, {
    body: { host: github.url.replace('127.0.0.1', 'localhost') },
  });
  // The address of `localhost` is the fake's; the page that it describes is not.
  const answer = await convert({ state: json['state'] });
  expect(errorOf(answer)).toEqual([502, 'upstream_error', expect.stringContaining('Check the host')]);
});

test('after a crash between the exchange and the App, the person is told how to go on', async () => {
  await api.ctx.db.pool.query(
    "create function crash() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$",
  );
  await api.ctx.db.pool.query('create trigger crash before insert on git_apps execute function crash()');
  expect((await convert()).status).toBe(500);
  await api.ctx.db.pool.query('drop trigger crash on git_apps; drop function crash');
  expect(errorOf(await convert())).toEqual([409, 'conflict', expect.stringContaining('in a minute')]);
  await api.ctx.db.pool.query("update git_app_manifests set claimed_until = now() - interval '1 second'");
  expect(errorOf(await convert())).toEqual([
    502,
    'upstream_error',
    expect.stringMatching(/its key cannot be fetched again: delete it there, .+\. Then create it again\./),
  ]);
  expect([await apps(), await states()]).toEqual([before, []]);
  expect(errorOf(await convert())[2]).toContain('If GitHub has the App and it is not listed here, delete it there');
});

test('a state is of its caller and its organization alone, and a forged one claims nothing', async () => {
  const key = await api.keyWith(['repos:write']);
  const other = await api.createOrganization('Other');
  const theirs = `/v3/organizations/${other.slug}/git-connections/apps`;
  const body = { code, state };
  const asked = exchanges();
  for (const answer of [
    await api.call('POST', `${connections}/apps`, { key, body }),
    await api.call('POST', theirs, { key: other.key, body }),
    await convert({ state: 'forged' }),
    await convert({ state: `${state} ` }),
  ])
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
  expect([exchanges() - asked, await states()]).toEqual([0, [{ claimed_until: null }]]);
  expect((await convert()).status).toBe(201);
});

describe('an App that GitHub made without a webhook secret', () => {
  const config = /^\/app\/hook\/config$/;
  afterEach(() => {
    github.world.appHook['secret'] = 'the secret of the App';
  });

  /** Returns the status of a delivery that the secret at GitHub signs. */
  async function delivers(url: unknown): Promise<number> {
    const raw = JSON.stringify({ zen: crypto.randomUUID() });
    const signature = createHmac('sha256', String(github.world.appHook['secret'])).update(raw).digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'ping' };
    return (await api.call('POST', new URL(String(url)).pathname, { key: '', raw, headers })).status;
  }

  test.each([null, '', undefined])('gets one: %j', async (secret) => {
    const { id, slug, privateKey: pem } = github.world.grants.app;
    const described = { id: Number(id), slug, name: 'Guildhall', html_url: `${github.url}/github-apps/${slug}`, pem };
    const body = JSON.stringify({ ...described, webhook_secret: secret });
    github.fail({ path: conversions, answer: { status: 201, body } });
    const made = await convert();
    expect(made.status, made.text).toBe(201);
    expect(github.world.appHook).toMatchObject({
      url: made.json['webhook_url'],
      secret: expect.stringMatching(/^\S{43}$/),
    });
    expect(made.text).not.toContain(String(github.world.appHook['secret']));
    expect(await delivers(made.json['webhook_url'])).toBe(202);
  });

  test('is kept if GitHub takes none now, and gets one by a rotation', async () => {
    github.world.appHook['secret'] = null;
    github.fail({ path: config, answer: { status: 500 } });
    expect(errorOf(await convert())).toEqual([
      502,
      'upstream_error',
      expect.stringMatching(/The App guildhall was created, but .+ Rotate the webhook secret of the App\./),
    ]);
    expect([(await apps()) - before, await states()]).toEqual([1, []]);
    const [app = {}]: Record<string, unknown>[] = Object((await api.call('GET', `${connections}/apps`)).json['items']);
    expect(await delivers(app['webhook_url'])).toBe(401);
    const path = `${connections}/apps/${String(app['id'])}/rotate-webhook-secret`;
    expect((await api.call('POST', path, { body: {} })).status).toBe(200);
    expect(await delivers(app['webhook_url'])).toBe(202);
  });
});
