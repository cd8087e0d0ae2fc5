import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scopes, type Permission } from '../../src/lib/scopes.ts';
import { startTestApi, type Answer, type TestApi } from '../support/api.ts';
import { join, personalKey } from '../support/members.ts';

const path = '/session/mcp-token';

let api: TestApi;
let second: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterAll(async () => {
  await second.close();
  await api.close();
});

let key: string;
beforeEach(async () => {
  key = await person('member');
});

async function person(permission: Permission): Promise<string> {
  return personalKey(api, orgId, await join(api, orgId, permission));
}

async function issue(by = key): Promise<string> {
  const { status, json } = await api.call('POST', path, { key: by });
  expect(status).toBe(201);
  return String(json['token']);
}

function revoke(by = key, options: { body?: unknown; raw?: string; headers?: Record<string, string> } = {}) {
  return api.call('DELETE', path, { key: by, ...options });
}

async function isActive(by = key): Promise<unknown> {
  return (await api.call('GET', path, { key: by })).json['active'];
}

/** Returns the status of `/mcp` for a token; no other path accepts one. */
async function opens(token: string, on = api): Promise<number> {
  const { status } = await on.call('POST', '/mcp', {
    key: token,
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    headers: { accept: 'application/json, text/event-stream' },
  });
  return status;
}

/** Checks an error of the unversioned operations (section 2): these two strings and nothing else. */
function refused(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.json]).toEqual([status, { error, message: expect.stringMatching(/\S/) }]);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
}

describe("source 4.10, revoke the user's tool token: method, path and authentication", () => {
  test('DELETE /session/mcp-token answers 200 {revoked: true}', async () => {
    await issue();
    const answer = await revoke();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.json).toEqual({ revoked: true });
  });

  test('{revoked: false} when there is none, or none any more', async () => {
    expect((await revoke()).json).toEqual({ revoked: false });
    await issue();
    await revoke();
    const again = await revoke();
    expect([again.status, again.json]).toEqual([200, { revoked: false }]);
  });

  test('it takes a bearer header', async () => {
    await issue();
    const nobody = await revoke('');
    refused(nobody, 401, 'unauthorized');
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer');
    refused(await revoke('guild_none'), 401, 'unauthorized');
    const credentials = Buffer.from(`x:${key}`).toString('base64');
    refused(await revoke('', { headers: { authorization: `Basic ${credentials}` } }), 401, 'unauthorized');
    expect(await isActive()).toBe(true);
    expect((await revoke('', { headers: { authorization: `bearer ${key}` } })).json).toEqual({ revoked: true });
  });

  test.each(['admin', 'member', 'viewer'] as const)('a person with the permission %s may', async (permission) => {
    const theirs = await person(permission);
    await issue(theirs);
    expect((await revoke(theirs)).json).toEqual({ revoked: true });
  });

  test("any key of a person's suffices, whatever its scopes", async () => {
    for (const scope of scopes) {
      const { json } = await api.call('POST', '/v3/self/keys', { body: { name: 'one', scopes: [scope] } });
      await issue(api.adminKey);
      expect([scope, (await revoke(String(json['key']))).json]).toEqual([scope, { revoked: true }]);
    }
  });

  test("a service user's and an app's key are 403, whatever their scopes", async () => {
    const { json } = await api.call('POST', '/apps', { body: { name: 'app' } });
    const app = await api.call('POST', `/apps/${String(json['id'])}/keys`, { body: { name: 'k', scopes } });
    for (const machine of [await api.keyWith([...scopes]), String(app.json['key'])])
      for (const method of ['DELETE', 'GET', 'POST'])
        refused(await api.call(method, path, { key: machine }), 403, 'forbidden');
  });

  test('the token itself opens nothing of this', async () => {
    const token = await issue();
    for (const method of ['DELETE', 'GET', 'POST'])
      refused(await api.call(method, path, { key: token }), 401, 'unauthorized');
    expect(await isActive()).toBe(true);
  });

  test('the path has no version', async () => {
    await issue();
    for (const other of [`/v3${path}`, '/v3/organizations/default/session/mcp-token']) {
      const answer = await api.call('DELETE', other, { key });
      expect([other, answer.status, answer.json['error']]).toEqual([other, 404, 'not_found']);
    }
    refused(await api.call('PATCH', path, { key, body: {} }), 404, 'not_found');
    expect(await isActive()).toBe(true);
  });
});

describe('source 4.10: request body', () => {
  test('it needs none, and ignores one', async () => {
    await issue();
    expect((await revoke(key, { body: { revoked: false, user_id: 'usr_other' } })).json).toEqual({ revoked: true });
  });

  test('one that is no JSON is 422 with the validation error body, and revokes nothing', async () => {
    await issue();
    const { status, json } = await revoke(key, { raw: '{"a":' });
    expect([status, Object.keys(json)]).toEqual([422, ['detail']]);
    expect(json['detail']).toEqual([
      { loc: ['body'], msg: expect.stringMatching(/\S/), type: 'json_invalid', input: null, ctx: {} },
    ]);
    expect(await isActive()).toBe(true);
  });
});

describe('what a revocation does', () => {
  test('the token opens /mcp no more, on another API process too', async () => {
    const token = await issue();
    expect([await opens(token), await opens(token, second)]).toEqual([200, 200]);
    await revoke();
    expect([await opens(token, second), await opens(token)]).toEqual([401, 401]);
    expect((await api.call('GET', path, { key })).json).toEqual({
      active: false,
      created_at: null,
      expires_at: null,
      last_used_at: null,
    });
  });

  test("it is the caller's own: another person's, and the caller's in another organization, go on", async () => {
    const [token, other] = [await issue(), await person('admin')];
    const theirs = await issue(other);
    const elsewhere = await api.createOrganization('Elsewhere');
    const there = await issue(elsewhere.key);
    await issue(api.adminKey);
    await revoke(api.adminKey);
    expect([await opens(token), await opens(theirs), await opens(there)]).toEqual([200, 200, 200]);
    await revoke();
    expect([await opens(token), await opens(theirs), await opens(there)]).toEqual([401, 200, 200]);
  });

  test("the person's keys go on, and a new token works", async () => {
    const old = await issue();
    await revoke();
    expect((await api.call('GET', '/v3/self', { key })).status).toBe(200);
    const next = await issue();
    expect([next === old, await opens(next), await opens(old)]).toEqual([false, 200, 401]);
  });

  test('of many at once one revokes', async () => {
    await issue();
    const answers = await Promise.all(Array.from({ length: 8 }, () => revoke()));
    expect(answers.filter(({ json }) => json['revoked'] === true)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('it is on record once; one that found nothing is not', async () => {
    await revoke();
    await issue();
    await revoke();
    await revoke();
    const { json: self } = await api.call('GET', '/v3/self', { key });
    const { rows } = await api.ctx.db.pool.query<object>(
      "select action, resource_type from audit_entries where actor_id = $1 and outcome = 'success' order by id",
      [self['principal_id']],
    );
    expect(rows).toEqual([
      { action: 'tool_token.create', resource_type: 'tool_token' },
      { action: 'tool_token.revoke', resource_type: 'tool_token' },
    ]);
  });
});
