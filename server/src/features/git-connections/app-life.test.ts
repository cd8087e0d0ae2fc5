import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGithubFake, type GithubFake } from '../../../test/hosts/github/fake.ts';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';

const org = '/v3/organizations/default';
const connections = `${org}/git-connections`;
const config = /^\/app\/hook\/config$/;

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

let id = '';
let path = '';
beforeEach(async () => {
  github.world.appHook['secret'] = 'the secret of the App';
  const { state } = (await api.call('POST', `${connections}/app-manifests`, { body: { host: github.url } })).json;
  const code = crypto.randomUUID();
  github.codes.add(code);
  const made = await api.call('POST', `${connections}/apps`, { body: { code, state: String(state) } });
  expect(made.status, made.text).toBe(201);
  id = String(made.json['id']);
  ({ pathname: path } = new URL(String(made.json['webhook_url'])));
});

const app = () => api.call('GET', `${connections}/apps/${id}`);
const rotate = (body: object = {}) => api.call('POST', `${connections}/apps/${id}/rotate-webhook-secret`, { body });
const remove = () => api.call('DELETE', `${connections}/apps/${id}`);
const connect = (name: string) =>
  api.call('POST', connections, {
    body: { provider: 'github', kind: 'app', app_id: id, installation_id: '1138', name },
  });
const errorOf = ({ status, json }: Answer) => [status, json['error'], String(json['message'])];
const secretAtGithub = () => String(github.world.appHook['secret']);

/** Returns the status of a delivery that a secret signed. */
async function delivers(secret: string): Promise<number> {
  const raw = JSON.stringify({ zen: crypto.randomUUID() });
  const signature = createHmac('sha256', secret).update(raw).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'ping' };
  return (await api.call('POST', path, { key: '', raw, headers })).status;
}

describe('the secret of the webhook', () => {
  test('is rotated at GitHub without a lost delivery, and shown to nobody', async () => {
    const old = secretAtGithub();
    expect((await app()).json).toMatchObject({ webhook_secret_rotated_at: null });
    const rotated = await rotate();
    expect([rotated.status, rotated.json], rotated.text).toMatchObject([
      200,
      { id, webhook_secret_rotated_at: expect.stringMatching(/^\d{4}-/) },
    ]);
    const second = secretAtGithub();
    expect(second).not.toBe(old);
    expect(rotated.text).not.toContain(second);
    expect(github.world.appHook).toMatchObject({ url: rotated.json['webhook_url'], insecure_ssl: '0' });
    expect(await Promise.all([delivers(old), delivers(second)])).toEqual([202, 202]);
    expect((await app()).json).toEqual(rotated.json);
    expect((await rotate({ overlap_seconds: 0 })).status).toBe(200);
    expect(await Promise.all([delivers(old), delivers(second), delivers(secretAtGithub())])).toEqual([401, 401, 202]);
    const logged = await api.call('GET', `${org}/audit-logs?action=git_app.rotate_webhook_secret&first=200`);
    expect(logged.json['items']).toMatchObject([{ resource: { id } }, { resource: { id } }]);
    expect(logged.text).not.toContain(second);
  });

  test('stays as it is if GitHub refuses the new one', async () => {
    const before = await app();
    github.fail({ path: config, answer: { status: 422, body: '{"message":"Validation Failed"}' } });
    expect(errorOf(await rotate())).toEqual([502, 'upstream_error', expect.stringContaining('Validation Failed')]);
    github.fail({ path: config, answer: { status: 404, body: '{"message":"Integration not found"}' } });
    expect(errorOf(await rotate())[2]).toContain('Delete the App here, and create another one.');
    expect((await app()).json).toEqual(before.json);
    expect(await delivers(secretAtGithub())).toBe(202);
    const { rows } = await api.ctx.db.pool.query(
      'select sealed_next_webhook_secret as next from git_apps where id = $1',
      [id],
    );
    expect(rows).toEqual([{ next: null }]);
  });

  test.each([
    ['no response', undefined],
    ['a failure', { status: 500 }],
    ['a response that is too large', { status: 200, body: `"${'x'.repeat(9_000_000)}"` }],
  ])('is accepted, and so is the old one, if GitHub changed it and gave %s', async (_, answer) => {
    const old = secretAtGithub();
    const before = await app();
    github.fail({ path: config, isAfter: true, ...(answer === undefined ? {} : { answer }) });
    expect((await rotate()).status).toBe(502);
    const second = secretAtGithub();
    expect(second).not.toBe(old);
    expect((await app()).json).toEqual(before.json);
    expect(await Promise.all([delivers(old), delivers(second)])).toEqual([202, 202]);
    // A refusal of another attempt does not say that GitHub does not have it.
    github.fail({ path: config, answer: { status: 422, body: '{"message":"Validation Failed"}' } });
    expect((await rotate()).status).toBe(502);
    expect(await delivers(second)).toBe(202);
    expect((await rotate({ overlap_seconds: 0 })).status).toBe(200);
    expect(secretAtGithub()).toBe(second);
    expect(await Promise.all([delivers(old), delivers(second)])).toEqual([401, 202]);
  });

  test('is rotated by one request at a time; a crash keeps others out for a minute', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate({ overlap_seconds: 0 })));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await delivers(secretAtGithub())).toBe(202);
    const heldFor = (time: string) =>
      api.ctx.db.pool.query(`update git_apps set rotating_until = now() + interval '${time}' where id = $1`, [id]);
    await heldFor('50 seconds');
    expect(errorOf(await rotate())).toEqual([409, 'conflict', expect.stringContaining('in a minute')]);
    await heldFor('-1 second');
    expect((await rotate()).status).toBe(200);
    expect(await delivers(secretAtGithub())).toBe(202);
  });
});

describe('an App', () => {
  test('is deleted with its keys once no connection uses it; GitHub’s App remains', async () => {
    const made = await connect('Acme <at> GitHub');
    expect(made.status, made.text).toBe(201);
    const connection = String(made.json['id']);
    const inUse = await remove();
    expect(errorOf(inUse)).toEqual([
      409,
      'connection_in_use',
      `Git connections use this App: Acme <at> GitHub (${connection}). Delete them first, then the App.`,
    ]);
    expect((await api.call('DELETE', `${connections}/${connection}`)).status).toBe(204);
    const secret = secretAtGithub();
    expect(await delivers(secret)).toBe(202);
    expect((await remove()).status).toBe(204);
    expect(errorOf(await remove()).slice(0, 2)).toEqual([404, 'git_app_not_found']);
    expect((await app()).status).toBe(404);
    expect((await rotate()).status).toBe(404);
    expect(await delivers(secret)).toBe(404);
    expect((await connect('Too late')).status).toBe(400);
    const { rows } = await api.ctx.db.pool.query('select id from git_apps where id = $1', [id]);
    expect(rows).toEqual([]);
    const logged = await api.call('GET', `${org}/audit-logs?action=git_app.delete`);
    expect(logged.json['items']).toMatchObject([{ resource: { id }, changes: { slug: 'guildhall' } }]);
  });

  test('that changed since it was read is not deleted', async () => {
    const tag = (await app()).headers.get('etag') ?? '';
    expect((await rotate()).status).toBe(200);
    const headers = { 'if-match': tag };
    expect((await api.call('DELETE', `${connections}/apps/${id}`, { headers })).status).toBe(412);
    expect((await app()).status).toBe(200);
  });

  test('is not deleted while a connection is created with its key', async () => {
    const answers = await Promise.all([connect('One'), remove(), connect('Two'), remove()]);
    const { rows } = await api.ctx.db.pool.query(
      "select c.id from git_connections c where c.git_app_id <> '' and not exists (select from git_apps a where a.id = c.git_app_id)",
    );
    expect(rows).toEqual([]);
    expect(answers.map(({ status }) => status).filter((status) => ![201, 204, 400, 404, 409].includes(status))).toEqual(
      [],
    );
  });
});
