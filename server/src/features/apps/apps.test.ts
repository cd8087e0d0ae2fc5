import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';

let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
});
afterAll(async () => {
  await second.close();
  await api.close();
});

async function createApp(name = 'app'): Promise<string> {
  const { status, json } = await api.call('POST', '/apps', { body: { name } });
  expect(status).toBe(201);
  return String(json['id']);
}

async function issue(app: string, scopes = ['org:read']): Promise<{ id: string; key: string; json: Answer['json'] }> {
  const { status, json } = await api.call('POST', `/apps/${app}/keys`, { body: { name: 'key', scopes } });
  expect(status).toBe(201);
  return { id: String(json['id']), key: String(json['key']), json };
}

function itemsOf({ json }: Answer): Record<string, unknown>[] {
  return Array.isArray(json['items']) ? json['items'] : [];
}

/**
 * Returns the places of the problems in a validation error; by section 1 of the contract `{detail: […]}` lists each.
 */
function placesOf({ status, json }: Answer): unknown[] {
  const detail: unknown[] = Array.isArray(json['detail']) ? json['detail'] : [];
  return [status, detail.map((entry) => Object(entry).loc.join('.'))];
}

describe('apps', () => {
  test('a new one is answered whole, and listed newest first', async () => {
    const first = await api.call('POST', '/apps', { body: { name: 'deploy bot', description: 'Deploys.' } });
    expect(first.status).toBe(201);
    expect(first.json).toEqual({
      id: expect.stringMatching(/^app_/),
      name: 'deploy bot',
      description: 'Deploys.',
      created_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    const next = await api.call('POST', '/apps', { body: { name: 'x', unknown: 'ignored' } });
    expect(next.json['description']).toBe('');
    expect(itemsOf(await api.call('GET', '/apps?first=2&unknown=1'))).toEqual([next.json, first.json]);
    const page = await api.call('GET', '/apps?first=1');
    expect([itemsOf(page), page.json['has_next_page']]).toEqual([[next.json], true]);
    const after = await api.call('GET', `/apps?first=1&after=${String(page.json['end_cursor'])}`);
    expect(itemsOf(after)).toEqual([first.json]);
  });

  test.each<[string, object, string[]]>([
    ['no name', {}, ['body.name']],
    ['an empty name', { name: '' }, ['body.name']],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, ['body.name']],
    ['a name that is no string', { name: 7 }, ['body.name']],
    ['a description of 2,001 characters', { name: 'x', description: 'x'.repeat(2_001) }, ['body.description']],
    ['a description that is null', { name: 'x', description: null }, ['body.description']],
    ['both wrong', { name: '', description: 7 }, ['body.name', 'body.description']],
  ])('%s is 422 that names it', async (_name, body, places) => {
    expect(placesOf(await api.call('POST', '/apps', { body }))).toEqual([422, places]);
  });

  test('the longest name and description are taken', async () => {
    const body = { name: 'x'.repeat(100), description: 'x'.repeat(2_000) };
    expect((await api.call('POST', '/apps', { body })).json).toMatchObject(body);
  });

  test('reads take org:read, the rest org:write', async () => {
    const app = await createApp();
    const [reader, writer] = [await api.keyWith(['org:read']), await api.keyWith(['org:write'])];
    for (const path of ['/apps', `/apps/${app}/keys`]) {
      expect((await api.call('GET', path, { key: reader })).status).toBe(200);
      expect((await api.call('GET', path, { key: writer })).json['error']).toBe('forbidden');
      const refused = await api.call('POST', path, { key: reader, body: { name: 'x', scopes: ['org:read'] } });
      expect([refused.status, refused.json['error']]).toEqual([403, 'forbidden']);
    }
    expect((await api.call('DELETE', `/apps/${app}`, { key: reader })).json['error']).toBe('forbidden');
    expect((await api.call('DELETE', `/apps/${app}`, { key: writer })).status).toBe(204);
  });

  test("another organization's is none", async () => {
    const app = await createApp();
    const other = await api.createOrganization('Elsewhere');
    expect(itemsOf(await api.call('GET', '/apps', { key: other.key }))).toEqual([]);
    for (const [method, path] of [
      ['DELETE', `/apps/${app}`],
      ['GET', `/apps/${app}/keys`],
      ['POST', `/apps/${app}/keys`],
    ] as const) {
      const options = method === 'POST' ? { body: { name: 'x', scopes: ['org:read'] } } : {};
      const answer = await api.call(method, path, { key: other.key, ...options });
      expect([method, answer.status, answer.json['error']]).toEqual([method, 404, 'app_not_found']);
    }
  });

  test('deleting one ends its keys at once, on every process, and only once', async () => {
    const app = await createApp();
    const { key } = await issue(app);
    expect((await second.call('GET', '/v3/self', { key })).status).toBe(200);
    expect((await api.call('DELETE', `/apps/${app}`)).status).toBe(204);
    const ended = await second.call('GET', '/v3/self', { key });
    expect([ended.status, ended.json['error']]).toEqual([401, 'key_revoked']);
    for (const [method, path] of [
      ['DELETE', `/apps/${app}`],
      ['GET', `/apps/${app}/keys`],
    ] as const)
      expect((await api.call(method, path)).json['error']).toBe('app_not_found');
    expect(itemsOf(await api.call('GET', '/apps')).map(({ id }) => id)).not.toContain(app);
  });
});

describe("an app's keys", () => {
  test('a new one is shown once, with every documented key', async () => {
    const app = await createApp();
    const { id, key, json } = await issue(app, ['org:read', 'run']);
    expect(key).toMatch(/^guild_[0-9a-f]{48}$/);
    const { key: _once, ...shown } = json;
    expect(shown).toEqual({
      id,
      app_id: app,
      name: 'key',
      scopes: ['org:read', 'run'],
      prefix: key.slice(0, 10),
      last4: key.slice(-4),
      ip_ranges: [],
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      created_by_key: expect.stringMatching(/^key_/),
    });
    const list = await api.call('GET', `/apps/${app}/keys`);
    expect([itemsOf(list), list.json['total'], list.text.includes(key)]).toEqual([[shown], 1, false]);
  });

  test('a replay of its creation does not show it again', async () => {
    const app = await createApp();
    const headers = { 'idempotency-key': 'one' };
    const body = { name: 'key', scopes: ['run'] };
    const first = await api.call('POST', `/apps/${app}/keys`, { body, headers });
    const again = await api.call('POST', `/apps/${app}/keys`, { body, headers });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.json).toEqual({ ...first.json, key: '' });
    expect(itemsOf(await api.call('GET', `/apps/${app}/keys`))).toHaveLength(1);
  });

  test.each<[string, object, string[]]>([
    ['nothing', {}, ['body.name', 'body.scopes']],
    ['no scope', { name: 'x', scopes: [] }, ['body.scopes']],
    ['an unknown scope', { name: 'x', scopes: ['run', 'root'] }, ['body.scopes.1']],
    ['an end in the past', { name: 'x', scopes: ['run'], expires_at: '2020-01-01T00:00:00Z' }, ['body.expires_at']],
    [
      'an end that no calendar has',
      { name: 'x', scopes: ['run'], expires_at: '2026-12-31T23:59:60Z' },
      ['body.expires_at'],
    ],
    ['a range that is none', { name: 'x', scopes: ['run'], ip_ranges: ['10.0.0.0/8', 'x'] }, ['body.ip_ranges.1']],
  ])('%s is 422 that names it, also for an app that is not there', async (_name, body, places) => {
    const app = await createApp();
    for (const id of [app, 'app_none'])
      expect(placesOf(await api.call('POST', `/apps/${id}/keys`, { body }))).toEqual([422, places]);
  });

  test('it cannot have a scope that its creator lacks', async () => {
    const app = await createApp();
    const body = { name: 'x', scopes: ['org:read', 'run'] };
    const answer = await api.call('POST', `/apps/${app}/keys`, { key: await api.keyWith(['org:write', 'run']), body });
    expect([answer.status, answer.json['error']]).toEqual([403, 'forbidden']);
    expect(answer.json['message']).toContain('org:read');
  });

  test('with it the app acts under its own name, within its scopes', async () => {
    const app = await createApp('deploy bot');
    const { key } = await issue(app, ['org:read', 'org:write', 'run', 'sessions:read']);
    const self = await api.call('GET', '/v3/self', { key });
    expect(self.json).toMatchObject({
      principal_type: 'app',
      principal_id: app,
      name: 'deploy bot',
      email: '',
      scopes: ['org:read', 'org:write', 'run', 'sessions:read'],
      role: '',
      permission: '',
    });
    const session = await api.call('POST', '/v3/organizations/default/sessions', { key, body: { prompt: 'x' } });
    expect(session.json['created_by']).toEqual({ type: 'app', id: app, name: 'deploy bot' });
    const refused = await api.call('GET', '/v3/organizations/default/repositories', { key });
    expect([refused.status, refused.json['error']]).toEqual([403, 'forbidden']);
    await api.call('POST', '/apps', { key, body: { name: 'made by an app' } });
    const { rows } = await api.ctx.db.pool.query<object>(
      "select actor_type, actor_id, actor_display from audit_entries where action = 'app.create' order by id desc limit 1",
    );
    expect(rows).toEqual([{ actor_type: 'app', actor_id: app, actor_display: 'deploy bot' }]);
    for (const method of ['GET', 'POST'])
      expect((await api.call(method, '/v3/self/keys', { key })).json['error']).toBe('forbidden');
  });
});
