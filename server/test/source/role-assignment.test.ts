import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../src/lib/scopes.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { join } from '../support/members.ts';

const path = '/v3/organizations/default/roles';

let api: TestApi;
let orgId: string;
let ada: string;
let elsewhere: { id: string; slug: string; key: string };
let stranger: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  ada = await join(api, orgId, 'member', 'Ada.Lovelace@Example.com');
  elsewhere = await api.createOrganization('Elsewhere');
  stranger = await join(api, elsewhere.id, 'member', 'stranger@example.com');
});
afterAll(() => api.close());

function put(body: unknown, key = api.adminKey) {
  return api.call('PUT', path, { key, body });
}

/** The error envelope (section 2): both are strings; the contract adds the request id. */
function envelope(error: string): object {
  return { error, message: expect.stringMatching(/\S/), request_id: expect.stringMatching(/^req_/) };
}

async function auditOf(action: string): Promise<Record<string, unknown>[]> {
  const { rows } = await api.ctx.db.pool.query<Record<string, unknown>>(
    'select action, resource_type, resource_id, changes, outcome from audit_entries where action = $1 order by id',
    [action],
  );
  return rows;
}

describe('source 4.1, set a role assignment: method, path and scope', () => {
  test('PUT /v3/organizations/{orgId}/roles takes org:write, and that alone suffices', async () => {
    const enough = await put({ user_id: ada, role: 'pro' }, await api.keyWith(['org:write']));
    expect(enough.status).toBe(200);
    for (const scope of scopes.filter((other) => other !== 'org:write')) {
      const { status, json } = await put({ user_id: ada, role: 'regular' }, await api.keyWith([scope]));
      expect([scope, status, json]).toEqual([scope, 403, envelope('forbidden')]);
      expect(json['message']).toContain('org:write');
    }
    expect((await api.call('GET', `${path}/${ada}`)).json['role']).toBe('pro');
  });

  test('{orgId} is the id or the slug', async () => {
    for (const organization of [orgId, 'default']) {
      const body = { user_id: ada, role: 'regular' };
      expect((await api.call('PUT', `/v3/organizations/${organization}/roles`, { body })).status).toBe(200);
    }
  });

  test('without a key it is 401, of another organization 404', async () => {
    const body = { user_id: ada, role: 'pro' };
    const nobody = await put(body, '');
    expect([nobody.status, nobody.json]).toEqual([401, envelope('unauthorized')]);
    for (const [organization, key] of [
      [elsewhere.slug, api.adminKey],
      ['default', elsewhere.key],
      ['org_none', api.adminKey],
    ]) {
      const foreign = await api.call('PUT', `/v3/organizations/${organization}/roles`, { key: key ?? '', body });
      expect([foreign.status, foreign.json]).toEqual([404, envelope('organization_not_found')]);
    }
  });

  test('no other method assigns one', async () => {
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const { status, json } = await api.call(method, path, { body: { user_id: ada, role: 'pro' } });
      expect([method, status, json]).toEqual([method, 404, envelope('not_found')]);
    }
  });
});

describe('source 4.1: request body', () => {
  test.each(['pro', 'regular'])('user_id and the role %s: 200 RoleAssignment', async (role) => {
    const before = Date.now();
    await put({ user_id: ada, role: role === 'pro' ? 'regular' : 'pro' });
    const { status, headers, json } = await put({ user_id: ada, role });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toEqual({ user_id: ada, role, updated_at: expect.any(String) });
    const at = String(json['updated_at']);
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
    expect((await api.call('GET', `${path}/${ada}`)).json).toEqual(json);
  });

  test.each(['Ada.Lovelace@Example.com', 'ada.lovelace@example.com', 'ADA.LOVELACE@EXAMPLE.COM'])(
    'the e-mail %s is resolved to its user, without case',
    async (email) => {
      await put({ user_id: ada, role: 'regular' });
      const { status, json } = await put({ email, role: 'pro' });
      expect([status, json]).toEqual([200, { user_id: ada, role: 'pro', updated_at: expect.any(String) }]);
    },
  );

  test.each<[string, (id: string) => unknown, string]>([
    ['neither user_id nor email', () => ({ role: 'pro' }), 'body.user_id'],
    ['both', (id) => ({ user_id: id, email: 'ada.lovelace@example.com', role: 'pro' }), 'body.email'],
    ['no role', (id) => ({ user_id: id }), 'body.role'],
    ['an unknown role', (id) => ({ user_id: id, role: 'admin' }), 'body.role'],
    ['a role in upper case', (id) => ({ user_id: id, role: 'PRO' }), 'body.role'],
    ['a role that is no string', (id) => ({ user_id: id, role: 1 }), 'body.role'],
    ['a role that is null', (id) => ({ user_id: id, role: null }), 'body.role'],
    ['a user_id that is no string', () => ({ user_id: 7, role: 'pro' }), 'body.user_id'],
    ['a user_id that is null', () => ({ user_id: null, role: 'pro' }), 'body.user_id'],
    ['an empty user_id', () => ({ user_id: '', role: 'pro' }), 'body.user_id'],
    ['a user_id of 65 characters', () => ({ user_id: 'u'.repeat(65), role: 'pro' }), 'body.user_id'],
    ['an email that is no string', () => ({ email: ['a@b.c'], role: 'pro' }), 'body.email'],
    ['an empty email', () => ({ email: '', role: 'pro' }), 'body.email'],
    ['an email of 321 characters', () => ({ email: `${'a'.repeat(309)}@example.com`, role: 'pro' }), 'body.email'],
    ['an unknown key', (id) => ({ user_id: id, role: 'pro', until: 'x' }), 'body.until'],
    ['an array', () => [], 'body'],
  ])('%s is 400 that names it, and changes nothing', async (_name, body, place) => {
    const before = (await api.call('GET', `${path}/${ada}`)).json;
    const { status, json } = await put(body(ada));
    expect([status, json]).toEqual([400, expect.objectContaining(envelope('invalid_request'))]);
    expect(json['message']).toContain(place);
    expect((await api.call('GET', `${path}/${ada}`)).json).toEqual(before);
  });

  test('the longest e-mail of 320 characters and id of 64 are looked for', async () => {
    const email = `${'a'.repeat(308)}@example.com`;
    const longest = await join(api, orgId, 'viewer', email);
    expect((await put({ email, role: 'pro' })).json).toMatchObject({ user_id: longest, role: 'pro' });
    const { status, json } = await put({ user_id: 'u'.repeat(64), role: 'pro' });
    expect([status, json]).toEqual([404, envelope('user_not_found')]);
  });

  test('no JSON is 400 invalid_json, another media type 415, more than 1 MiB 413', async () => {
    const broken = await api.call('PUT', path, { raw: '{"role":' });
    expect([broken.status, broken.json]).toEqual([400, expect.objectContaining(envelope('invalid_json'))]);
    const text = await api.call('PUT', path, { raw: 'role=pro', headers: { 'content-type': 'text/plain' } });
    expect([text.status, text.json]).toEqual([415, envelope('unsupported_media_type')]);
    const large = await put({ user_id: ada, role: 'pro', email: 'x'.repeat(1_048_576) });
    expect([large.status, large.json]).toEqual([413, envelope('payload_too_large')]);
  });
});

describe('source 4.1: 404, resource not found', () => {
  test.each<[string, () => object]>([
    ['an unknown user_id', () => ({ user_id: 'usr_none' })],
    ['an unknown email', () => ({ email: 'nobody@example.com' })],
    ["another organization's user_id", () => ({ user_id: stranger })],
    ["another organization's email", () => ({ email: 'stranger@example.com' })],
    ['an e-mail that is a pattern', () => ({ email: '%@example.com' })],
  ])('%s', async (_name, target) => {
    const { status, json } = await put({ ...target(), role: 'pro' });
    expect([status, json]).toEqual([404, envelope('user_not_found')]);
    const theirs = await api.call('GET', `/v3/organizations/${elsewhere.slug}/roles/${stranger}`, {
      key: elsewhere.key,
    });
    expect(theirs.json).toEqual({ user_id: stranger, role: 'regular', updated_at: null });
  });

  test('a wrong body comes before a missing user', async () => {
    expect((await put({ user_id: 'usr_none', role: 'king' })).json['error']).toBe('invalid_request');
  });
});

describe('what an assignment does', () => {
  test('repeating it is harmless; setting what was never set is a change', async () => {
    const eve = await join(api, orgId, 'member');
    expect((await api.call('GET', `${path}/${eve}`)).json).toEqual({
      user_id: eve,
      role: 'regular',
      updated_at: null,
    });
    const first = await put({ user_id: eve, role: 'regular' });
    expect(first.json['updated_at']).toEqual(expect.any(String));
    expect((await put({ user_id: eve, role: 'regular' })).json).toEqual(first.json);
    const races = await Promise.all(Array.from({ length: 8 }, () => put({ user_id: eve, role: 'pro' })));
    expect(new Set(races.map(({ text }) => text)).size).toBe(1);
  });

  test('it is on record, once per request; a refused one is not', async () => {
    const bob = await join(api, orgId, 'viewer', 'bob@example.com');
    const before = (await auditOf('role.assign')).length;
    await put({ email: 'BOB@example.com', role: 'pro' });
    await put({ user_id: 'usr_none', role: 'pro' });
    expect((await auditOf('role.assign')).slice(before)).toEqual([
      {
        action: 'role.assign',
        resource_type: 'user',
        resource_id: bob,
        changes: { role: 'pro' },
        outcome: 'success',
      },
    ]);
  });
});
