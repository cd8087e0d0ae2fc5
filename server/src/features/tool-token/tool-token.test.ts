import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';

const path = '/session/mcp-token';
const none = { active: false, created_at: null, expires_at: null, last_used_at: null };
const dayMs = 86_400_000;

let api: TestApi;
let orgId: string;
let person: string;
let key: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterAll(() => api.close());
beforeEach(async () => {
  person = await join(api, orgId, 'member');
  key = await personalKey(api, orgId, person);
});

function issue(body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
  return api.call('POST', path, { key, body, headers });
}

async function state(): Promise<Answer['json']> {
  return (await api.call('GET', path, { key })).json;
}

test('a person who never asked for one has none', async () => {
  expect(await state()).toEqual(none);
});

test('it is shown once, and works for 30 days unless told otherwise', async () => {
  const { status, json } = await issue();
  expect(status).toBe(201);
  expect(Object.keys(json).sort()).toEqual(['created_at', 'expires_at', 'token']);
  expect(json['token']).toMatch(/^guildmcp_[0-9a-f]{48}$/);
  const { created_at, expires_at } = json;
  expect(Date.parse(String(expires_at)) - Date.parse(String(created_at))).toBe(30 * dayMs);
  expect(await state()).toEqual({ active: true, created_at, expires_at, last_used_at: null });
  const { rows } = await api.ctx.db.pool.query('select 1 from api_keys k where k::text like $1', [
    `%${String(json['token']).slice(10)}%`,
  ]);
  expect(rows).toEqual([]);
});

test.each([1, 30])('for %i days', async (days) => {
  const { json } = await issue({ expires_in_days: days });
  const lasts = Date.parse(String(json['expires_at'])) - Date.parse(String(json['created_at']));
  expect(lasts).toBe(days * dayMs);
});

test.each([0, 31, -1, 1.5, '7', null])('for %j days is 422, and issues none', async (days) => {
  const { status, json } = await issue({ expires_in_days: days });
  expect([status, Object.keys(json)]).toEqual([422, ['detail']]);
  expect(JSON.stringify(json)).toContain('"loc":["body","expires_in_days"]');
  expect(await state()).toEqual(none);
});

test('it ends with the key that asks for it, and works from where that works', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const body = { name: 'short', scopes: ['run'], expires_at, ip_ranges: ['127.0.0.0/8'] };
  const short = await api.call('POST', '/v3/self/keys', { key, body });
  const made = await api.call('POST', path, { key: String(short.json['key']), body: { expires_in_days: 2 } });
  expect([made.status, made.json['expires_at']]).toEqual([201, expires_at]);
  const token = String(made.json['token']);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const accept = 'application/json, text/event-stream';
  const trusting = await api.another({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
  for (const [place, status] of [
    ['127.0.0.9', 200],
    ['203.0.113.7', 403],
  ] as const) {
    const headers = { accept, 'x-forwarded-for': place };
    expect((await trusting.call('POST', '/mcp', { key: token, body: ping, headers })).status).toBe(status);
  }
  await trusting.close();
});

test('a new one replaces the old; of many at once one is left', async () => {
  await issue();
  const answers = await Promise.all(Array.from({ length: 8 }, () => issue()));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const { rows } = await api.ctx.db.pool.query<object>(
    "select count(*)::int as n from api_keys where principal_id = $1 and audience = 'mcp' and revoked_at is null",
    [person],
  );
  expect(rows).toEqual([{ n: 1 }]);
});

test('a replay answers without it, and leaves the first one as it is', async () => {
  const headers = { 'idempotency-key': 'once' };
  const first = await issue({}, headers);
  const again = await issue({}, headers);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(again.json).toEqual({ ...first.json, token: '' });
  expect((await state())['created_at']).toBe(first.json['created_at']);
});

test('one that ran out is none, and gives way to a new one', async () => {
  await issue();
  // The API compares whole milliseconds.
  await api.ctx.db.pool.query(
    "update api_keys set expires_at = date_trunc('milliseconds', now()) where principal_id = $1 and audience = 'mcp'",
    [person],
  );
  expect(await state()).toEqual(none);
  expect((await api.call('DELETE', path, { key })).json).toEqual({ revoked: false });
  expect((await issue()).status).toBe(201);
  expect((await state())['active']).toBe(true);
});

describe('it is no API key', () => {
  test.each(['GET /v3/self', 'GET /v3/organizations/default/sessions', 'GET /agents', `GET ${path}`])(
    '%s takes none',
    async (operation) => {
      const [method = '', url = ''] = operation.split(' ');
      const { json } = await issue();
      const answer = await api.call(method, url, { key: String(json['token']) });
      expect([answer.status, answer.json['error']]).toEqual([401, 'unauthorized']);
    },
  );

  test("git's does not either", async () => {
    const { json } = await issue();
    const credentials = Buffer.from(`x:${String(json['token'])}`).toString('base64');
    const answer = await api.call('GET', '/git/default/acme/x.git/info/refs?service=git-upload-pack', {
      key: '',
      headers: { authorization: `Basic ${credentials}` },
    });
    expect(answer.status).toBe(401);
  });

  test("it is not among the person's keys, and not theirs to revoke or rotate as one", async () => {
    await issue();
    const list = await api.call('GET', '/v3/self/keys', { key });
    expect(list.json['total']).toBe(1);
    const { rows } = await api.ctx.db.pool.query<{ id: string }>(
      "select id from api_keys where principal_id = $1 and audience = 'mcp'",
      [person],
    );
    const id = rows[0]?.id ?? '';
    for (const [method, url] of [
      ['DELETE', `/v3/self/keys/${id}`],
      ['POST', `/v3/self/keys/${id}/rotate`],
    ] as const)
      expect((await api.call(method, url, { key })).json['error']).toBe('key_not_found');
    expect((await state())['active']).toBe(true);
  });
});

test('its audit entry holds no token', async () => {
  const { json } = await issue({ expires_in_days: 3 });
  const { rows } = await api.ctx.db.pool.query<{ action: string; changes: object }>(
    'select action, changes from audit_entries where actor_id = $1',
    [person],
  );
  expect(rows).toEqual([
    { action: 'tool_token.create', changes: expect.objectContaining({ expires_at: json['expires_at'], replaces: '' }) },
  ]);
  expect(JSON.stringify(rows)).not.toContain(String(json['token']).slice(10));
});

test('removing the member revokes it for good', async () => {
  await issue();
  expect((await api.call('DELETE', `/v3/organizations/default/members/${person}`)).status).toBe(204);
  await api.ctx.db.transaction((trx) =>
    trx.insertInto('members').values({ org_id: orgId, user_id: person, permission: 'member' }).execute(),
  );
  key = await personalKey(api, orgId, person);
  expect(await state()).toEqual(none);
});
