import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scopes } from '../../src/lib/scopes.ts';
import { startTestApi, type Answer, type TestApi } from '../support/api.ts';

let api: TestApi;
let second: TestApi;
let app: string;
let elsewhere: { key: string; app: string; appKey: string };
let key: { id: string; value: string };
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
  app = await createApp();
  const { key: theirKey } = await api.createOrganization('Elsewhere');
  const theirApp = await createApp(theirKey);
  elsewhere = { key: theirKey, app: theirApp, appKey: (await issue(theirApp, theirKey)).id };
});
afterAll(async () => {
  await second.close();
  await api.close();
});
beforeEach(async () => {
  key = await issue(app);
});

async function createApp(by = api.adminKey): Promise<string> {
  return String((await api.call('POST', '/apps', { key: by, body: { name: 'app' } })).json['id']);
}

async function issue(of: string, by = api.adminKey): Promise<{ id: string; value: string }> {
  const { json } = await api.call('POST', `/apps/${of}/keys`, { key: by, body: { name: 'key', scopes: ['org:read'] } });
  return { id: String(json['id']), value: String(json['key']) };
}

function remove(keyId: string, options: { of?: string; key?: string; headers?: Record<string, string> } = {}) {
  const { of = app, ...rest } = options;
  return api.call('DELETE', `/apps/${of}/keys/${keyId}`, rest);
}

async function works(value: string, on = api): Promise<unknown[]> {
  const { status, json } = await on.call('GET', '/v3/self', { key: value });
  return status === 200 ? [200] : [status, json['error']];
}

/** Checks an error of the unversioned operations (section 2): these two strings and nothing else. */
function refused(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.json]).toEqual([status, { error, message: expect.stringMatching(/\S/) }]);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
}

/** Checks a validation error body (section 2). */
function invalid(answer: Answer, loc: string[]): void {
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.json)).toEqual(['detail']);
  const detail: unknown[] = Array.isArray(answer.json['detail']) ? answer.json['detail'] : [];
  expect(detail).toHaveLength(1);
  expect(Object.keys(Object(detail[0])).sort()).toEqual(['ctx', 'input', 'loc', 'msg', 'type']);
  expect(detail[0]).toMatchObject({ loc, msg: expect.stringMatching(/\S/), type: expect.stringMatching(/\S/) });
  expect(Object.prototype.toString.call(Object(detail[0]).ctx)).toBe('[object Object]');
}

describe('source 4.8, delete an application key: method, path and authentication', () => {
  test('DELETE /apps/{app_id}/keys/{key_id} answers what was revoked and when', async () => {
    const before = Date.now();
    const answer = await remove(key.id);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.json).toEqual({ id: key.id, app_id: app, revoked_at: expect.any(String) });
    const at = String(answer.json['revoked_at']);
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
  });

  test('it takes a bearer header', async () => {
    refused(await remove(key.id, { key: '' }), 401, 'unauthorized');
    const credentials = Buffer.from(`x:${api.adminKey}`).toString('base64');
    refused(await remove(key.id, { key: '', headers: { authorization: `Basic ${credentials}` } }), 401, 'unauthorized');
    const nobody = await remove(key.id, { key: '' });
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer');
    expect(await works(key.value)).toEqual([200]);
    const lower = await remove(key.id, { key: '', headers: { authorization: `bearer ${api.adminKey}` } });
    expect(lower.status).toBe(200);
  });

  test('org:write suffices, and nothing else does', async () => {
    for (const scope of scopes.filter((other) => other !== 'org:write')) {
      const answer = await remove(key.id, { key: await api.keyWith([scope]) });
      refused(answer, 403, 'forbidden');
      expect(answer.json['message']).toContain('org:write');
    }
    expect(await works(key.value)).toEqual([200]);
    expect((await remove(key.id, { key: await api.keyWith(['org:write']) })).status).toBe(200);
  });

  test('the path has no version, and no other method deletes', async () => {
    refused(await api.call('PUT', `/apps/${app}/keys/${key.id}`, { body: {} }), 404, 'not_found');
    const versioned = await api.call('DELETE', `/v3/apps/${app}/keys/${key.id}`);
    expect([versioned.status, versioned.json['error']]).toEqual([404, 'not_found']);
    const below = await api.call('DELETE', `/v3/organizations/default/apps/${app}/keys/${key.id}`);
    expect([below.status, below.json['error']]).toEqual([404, 'not_found']);
    expect(await works(key.value)).toEqual([200]);
  });

  test('it needs no body, and ignores one', async () => {
    const url = `/apps/${app}/keys/${key.id}`;
    const answer = await api.call('DELETE', url, { body: { id: 'key_other', force: true } });
    expect([answer.status, answer.json['id']]).toEqual([200, key.id]);
  });
});

describe('source 4.8: failed validation', () => {
  test.each([
    ['app_id', (long: string) => `/apps/${long}/keys/key_x`],
    ['key_id', (long: string) => `/apps/${app}/keys/${long}`],
  ])('%s of 65 characters is 422 that names it; of 64 it is looked for', async (name, path) => {
    const answer = await api.call('DELETE', path('x'.repeat(65)));
    invalid(answer, ['path', name]);
    expect(JSON.stringify(answer.json)).toContain('x'.repeat(65));
    expect((await api.call('DELETE', path('x'.repeat(64)))).status).toBe(404);
  });

  test('both at once are both named', async () => {
    const { status, json } = await api.call('DELETE', `/apps/${'x'.repeat(65)}/keys/${'y'.repeat(65)}`);
    expect(status).toBe(422);
    expect(json['detail']).toEqual([
      expect.objectContaining({ loc: ['path', 'app_id'], type: 'string_too_long', input: 'x'.repeat(65) }),
      expect.objectContaining({ loc: ['path', 'key_id'], type: 'string_too_long', input: 'y'.repeat(65) }),
    ]);
  });

  test('a character that no text may hold is 422', async () => {
    invalid(await api.call('DELETE', `/apps/${app}/keys/key%00`), ['path', 'key_id']);
    invalid(await api.call('DELETE', `/apps/app%00/keys/${key.id}`), ['path', 'app_id']);
  });

  test('what is wrong with the caller comes first', async () => {
    const path = `/apps/${app}/keys/${'x'.repeat(65)}`;
    refused(await api.call('DELETE', path, { key: '' }), 401, 'unauthorized');
    refused(await api.call('DELETE', path, { key: await api.keyWith(['org:read']) }), 403, 'forbidden');
  });
});

describe('source 4.8: what is not there', () => {
  test('a second deletion is 404', async () => {
    expect((await remove(key.id)).status).toBe(200);
    refused(await remove(key.id), 404, 'key_not_found');
  });

  test('of many at once one deletes', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(key.id)));
    const deleted = answers.filter(({ status }) => status === 200);
    expect([deleted.length, answers.filter(({ status }) => status === 404).length]).toEqual([1, 7]);
  });

  test.each<[string, () => { of: string; id: string }, string]>([
    ['an unknown app', () => ({ of: 'app_none', id: key.id }), 'app_not_found'],
    ['an unknown key', () => ({ of: app, id: 'key_none' }), 'key_not_found'],
    ["another organization's app and key", () => ({ of: elsewhere.app, id: elsewhere.appKey }), 'app_not_found'],
    ["another organization's key", () => ({ of: app, id: elsewhere.appKey }), 'key_not_found'],
  ])('%s is 404', async (_name, target, error) => {
    const { of, id } = target();
    refused(await remove(id, { of }), 404, error);
    expect(await works(key.value)).toEqual([200]);
  });

  test('the key of another app, of a person or of a service user is not among its keys', async () => {
    refused(await remove(key.id, { of: await createApp() }), 404, 'key_not_found');
    const { json: self } = await api.call('GET', '/v3/self');
    refused(await remove(String(Object(self['key']).id)), 404, 'key_not_found');
    const { json: machine } = await api.call('GET', '/v3/self', { key: await api.keyWith(['run']) });
    refused(await remove(String(Object(machine['key']).id)), 404, 'key_not_found');
    expect(await works(api.adminKey)).toEqual([200]);
  });
});

describe('what a deletion does', () => {
  test('the key stops working at once, on another API process too', async () => {
    expect([await works(key.value), await works(key.value, second)]).toEqual([[200], [200]]);
    await remove(key.id);
    expect([await works(key.value, second), await works(key.value)]).toEqual([
      [401, 'key_revoked'],
      [401, 'key_revoked'],
    ]);
  });

  test('other keys of the app go on, and the list says when this one ended', async () => {
    const other = await issue(app);
    const { json } = await remove(key.id);
    expect(await works(other.value)).toEqual([200]);
    const list = await api.call('GET', `/apps/${app}/keys`);
    const shown: unknown[] = Array.isArray(list.json['items']) ? list.json['items'] : [];
    const ends = new Map(shown.map((item) => [String(Object(item).id), Object(item).revoked_at]));
    expect([ends.get(key.id), ends.get(other.id)]).toEqual([json['revoked_at'], null]);
  });

  test('it is on record once; a refused one is not', async () => {
    const entries = async (): Promise<unknown[]> => {
      const { rows } = await api.ctx.db.pool.query<object>(
        "select action, actor_type, resource_type, outcome from audit_entries where resource_id = $1 and outcome = 'success' and action <> 'key.create'",
        [key.id],
      );
      return rows;
    };
    await remove(key.id, { of: 'app_none' });
    expect(await entries()).toEqual([]);
    await remove(key.id);
    await remove(key.id);
    expect(await entries()).toEqual([
      { action: 'key.revoke', actor_type: 'user', resource_type: 'key', outcome: 'success' },
    ]);
  });
});
