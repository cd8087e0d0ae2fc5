import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isCidr, inRanges } from '../../lib/cidr.ts';
import { scopes } from '../../lib/scopes.ts';
import { watchKey } from '../auth/watch.ts';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';

let api: TestApi;
let second: TestApi;
let serviceUser: string;
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
});
afterAll(async () => {
  await second.close();
  await api.close();
});
beforeEach(async () => {
  const { json } = await api.call('POST', users, { body: { name: 'machine' } });
  serviceUser = `${users}/${String(json['id'])}`;
});

const org = '/v3/organizations/default';
const users = `${org}/service-users`;
const keyFields =
  'id name scopes prefix last4 ip_ranges created_at expires_at last_used_at revoked_at created_by_key'.split(' ');

/** Both kinds of key have the same operations. */
const doors = [
  { name: 'personal keys', path: () => '/v3/self/keys', fields: keyFields },
  { name: "a service user's keys", path: () => `${serviceUser}/keys`, fields: [...keyFields, 'service_user_id'] },
];

async function issue(path: string, body: object = {}): Promise<{ id: string; key: string; json: Answer['json'] }> {
  const { status, json } = await api.call('POST', path, { body: { name: 'k', scopes: ['org:read', 'run'], ...body } });
  expect(status).toBe(201);
  return { id: String(json['id']), key: String(json['key']), json };
}

async function statusOf(key: string, on = api): Promise<unknown[]> {
  const { status, json } = await on.call('GET', '/v3/self', { key });
  return status === 200 ? [200] : [status, json['error']];
}

async function idsOf(path: string, status?: string): Promise<unknown[]> {
  const { json } = await api.call('GET', `${path}${status === undefined ? '' : `?status=${status}`}`);
  return Array.isArray(json['items']) ? json['items'].map((item: unknown) => Object(item).id) : [];
}

async function expire(id: string): Promise<void> {
  await api.ctx.db.pool.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [id]);
}

describe.each(doors)('$name', ({ path, fields }) => {
  test('a key is shown once, with every documented key, and works on every process', async () => {
    const { key, json } = await issue(path(), { expires_at: '2099-01-02T03:04:05+01:00', ip_ranges: ['127.0.0.0/8'] });
    expect(Object.keys(json).sort()).toEqual([...fields, 'key'].sort());
    expect(json).toMatchObject({ prefix: key.slice(0, 10), last4: key.slice(-4), scopes: ['org:read', 'run'] });
    expect(json).toMatchObject({ expires_at: '2099-01-02T02:04:05.000Z', last_used_at: null, revoked_at: null });
    expect([await statusOf(key), await statusOf(key, second)]).toEqual([[200], [200]]);
    const list = await api.call('GET', path());
    expect(list.text).not.toContain(key);
    const first: unknown = Array.isArray(list.json['items']) ? list.json['items'][0] : undefined;
    expect(Object.keys(Object(first)).sort()).toEqual([...fields].sort());
  });

  test.each([
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['admin'] }],
    ['a scope twice', { scopes: ['run', 'run'] }],
    ['no name', { name: '' }],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }],
    ['an end that is no time', { expires_at: 'tomorrow' }],
    ['a leap second', { expires_at: '2026-12-31T23:59:60Z' }],
    ['a year of five digits', { expires_at: '9999-12-31T23:59:59-23:59' }],
    ['a range that is none', { ip_ranges: ['10.0.0.0/33'] }],
    ['an address of one host only', { ip_ranges: ['fe80::1%eth0'] }],
  ])('%s is 400', async (_name, body) => {
    const answer = await api.call('POST', path(), { body: { name: 'k', scopes: ['run'], ...body } });
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
  });

  test('revoked: at once on every process, listed as such, and only once', async () => {
    const { id, key } = await issue(path());
    expect(await statusOf(key, second)).toEqual([200]);
    expect((await api.call('DELETE', `${path()}/${id}`)).status).toBe(204);
    expect([await statusOf(key, second), await statusOf(key)]).toEqual([
      [401, 'key_revoked'],
      [401, 'key_revoked'],
    ]);
    const again = await api.call('DELETE', `${path()}/${id}`);
    expect([again.status, again.json['error']]).toEqual([409, 'already_revoked']);
    const rotated = await api.call('POST', `${path()}/${id}/rotate`);
    expect([rotated.status, rotated.json['error']]).toEqual([409, 'already_revoked']);
    const missing = await api.call('DELETE', `${path()}/key_none`);
    expect([missing.status, missing.json['error']]).toEqual([404, 'key_not_found']);
  });

  test('expired: 401 key_expired, and no successor', async () => {
    const { id, key } = await issue(path(), { expires_at: '2099-01-01T00:00:00Z' });
    await expire(id);
    expect(await statusOf(key)).toEqual([401, 'key_expired']);
    const rotated = await api.call('POST', `${path()}/${id}/rotate`);
    expect([rotated.status, rotated.json['error']]).toEqual([409, 'conflict']);
  });

  test('status filters; several values are or', async () => {
    const [active, revoked, expired] = [await issue(path()), await issue(path()), await issue(path())];
    await api.call('DELETE', `${path()}/${revoked.id}`);
    await expire(expired.id);
    const of = async (status?: string) =>
      (await idsOf(path(), status)).filter((id) => [active.id, revoked.id, expired.id].includes(String(id)));
    expect(await of('active')).toEqual([active.id]);
    expect(await of('revoked')).toEqual([revoked.id]);
    expect(await of('expired')).toEqual([expired.id]);
    expect(await of('revoked,active')).toEqual([revoked.id, active.id]);
    expect(await of()).toEqual([expired.id, revoked.id, active.id]);
    const wrong = await api.call('GET', `${path()}?status=gone`);
    expect([wrong.status, wrong.json['error']]).toEqual([400, 'invalid_request']);
  });

  test('rotated: the new one works at once, the old one to the end of the overlap', async () => {
    const old = await issue(path(), { ip_ranges: ['127.0.0.1'] });
    const from = Date.now();
    const { status, json } = await api.call('POST', `${path()}/${old.id}/rotate`, { body: { overlap_seconds: 100 } });
    expect(status).toBe(200);
    expect(json['id']).not.toBe(old.id);
    expect(json).toMatchObject({ scopes: ['org:read', 'run'], ip_ranges: ['127.0.0.1'], expires_at: null, name: 'k' });
    expect([await statusOf(String(json['key'])), await statusOf(old.key, second)]).toEqual([[200], [200]]);
    const { json: self } = await api.call('GET', '/v3/self', { key: old.key });
    const ends = Date.parse(/"expires_at":"([^"]+)"/.exec(JSON.stringify(self))?.[1] ?? '');
    expect(Math.abs(ends - from - 100_000)).toBeLessThan(5_000);

    const next = await api.call('POST', `${path()}/${String(json['id'])}/rotate`);
    expect(next.status).toBe(200);
    expect(await statusOf(String(json['key']), second)).toEqual([401, 'key_expired']);
  });

  test.each([-1, 604_801, 1.5, '60', null])('an overlap of %j is 400', async (overlap) => {
    const { id } = await issue(path());
    const answer = await api.call('POST', `${path()}/${id}/rotate`, { body: { overlap_seconds: overlap } });
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
  });

  test('a key cannot give what it does not have, by creation or by rotation', async () => {
    const weak = (await issue('/v3/self/keys', { scopes: ['org:read', 'org:write'] })).key;
    const body = { name: 'k', scopes: ['run'] };
    const created = await api.call('POST', path(), { key: weak, body });
    expect([created.status, created.json['error']]).toEqual([403, 'forbidden']);
    expect(created.json['message']).toContain('run');
    const strong = await issue(path());
    const rotated = await api.call('POST', `${path()}/${strong.id}/rotate`, { key: weak });
    expect([rotated.status, rotated.json['error']]).toEqual([403, 'forbidden']);
    expect(await statusOf(strong.key)).toEqual([200]);
  });
});

describe.each(doors)('$name, made with a key that ends and works from one network', ({ path }) => {
  const expires_at = '2099-01-01T00:00:00.000Z';
  const ip_ranges = ['127.0.0.0/8', '::1'];
  const all = { name: 'k', scopes: [...scopes] };

  test('end with it and work from there alone, unless told less', async () => {
    const { key } = await issue('/v3/self/keys', { ...all, expires_at, ip_ranges });
    const rows: [object, object][] = [
      [{}, { expires_at, ip_ranges }],
      [{ ip_ranges: [] }, { expires_at, ip_ranges }],
      [{ ip_ranges: ['127.0.0.1', '::1/128'] }, { expires_at, ip_ranges: ['127.0.0.1', '::1/128'] }],
      [{ expires_at: '2098-01-01T00:00:00.000Z' }, { expires_at: '2098-01-01T00:00:00.000Z', ip_ranges }],
    ];
    for (const [less, expected] of rows) {
      const { status, json } = await api.call('POST', path(), { key, body: { ...all, ...less } });
      expect([status, json]).toEqual([201, expect.objectContaining(expected)]);
    }
  });

  test('are refused where they would last longer or work from elsewhere, by creation or by rotation', async () => {
    const { key } = await issue('/v3/self/keys', { ...all, expires_at, ip_ranges });
    for (const [more, said] of [
      [{ expires_at: '2099-01-01T00:00:00.001Z' }, expires_at],
      [{ ip_ranges: ['0.0.0.0/0'] }, '0.0.0.0/0'],
      [{ ip_ranges: ['127.0.0.1', '::/0'] }, '::/0'],
    ] as const) {
      const { status, json } = await api.call('POST', path(), { key, body: { ...all, ...more } });
      expect([status, json['error'], json['message']]).toEqual([403, 'forbidden', expect.stringContaining(said)]);
    }
    for (const more of [{}, { expires_at }, { ip_ranges }]) {
      const other = await issue(path(), more);
      const { status, json } = await api.call('POST', `${path()}/${other.id}/rotate`, { key });
      expect([status, json['error']]).toEqual([403, 'forbidden']);
    }
    const same = await issue(path(), { expires_at, ip_ranges });
    expect((await api.call('POST', `${path()}/${same.id}/rotate`, { key })).status).toBe(200);
  });
});

test('what is to end with a key ends also when the key ended before it began to watch', async () => {
  const { id, key } = await issue('/v3/self/keys');
  const { json } = await api.call('GET', '/v3/self', { key });
  await api.call('DELETE', `/v3/self/keys/${id}`);
  const watched = Object(json['key']);
  const caller = {
    organization: { ...Object(json['organization']), state: 'active' as const },
    credential: {
      kind: 'key' as const,
      id,
      prefix: '',
      last4: '',
      createdAt: new Date(watched.created_at),
      expiresAt: null,
      ipRanges: [],
      lastUsedAt: null,
    },
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const { leave } = watchKey(api.ctx, caller, resolve);
  await promise;
  leave();
});

describe('personal keys', () => {
  test.each(['GET', 'POST', 'DELETE'])('are for persons only: %s', async (method) => {
    const key = await api.keyWith([...scopes]);
    const path = method === 'DELETE' ? '/v3/self/keys/key_none' : '/v3/self/keys';
    const answer = await api.call(method, path, { key, ...(method === 'POST' ? { body: {} } : {}) });
    expect([answer.status, answer.json['error']]).toEqual([403, 'forbidden']);
  });

  test('may be for another organization of the person, by id or slug, and for no other', async () => {
    const other = await api.createOrganization('Second home');
    for (const organization_id of [other.id, other.slug]) {
      const { key } = await issue('/v3/self/keys', { organization_id });
      const { json } = await api.call('GET', '/v3/self', { key });
      expect(json['organization']).toMatchObject({ id: other.id, slug: other.slug });
      expect((await api.call('GET', `${org}/sessions`, { key })).status).toBe(404);
    }
    const body = { name: 'k', scopes: ['run'], organization_id: 'org_none' };
    const missing = await api.call('POST', '/v3/self/keys', { body });
    expect([missing.status, missing.json['error']]).toEqual([404, 'organization_not_found']);
  });

  test('get no more scopes by the way of an organization of their own', async () => {
    const weak = await issue('/v3/self/keys', { scopes: ['org:write'] });
    const made = await api.call('POST', '/v3/organizations', { key: weak.key, body: { name: 'Detour' } });
    expect(made.status).toBe(201);
    const { id: organization_id } = Object((await api.call('GET', '/v3/self')).json['organization']);
    const body = { name: 'k', scopes: ['secrets:write'], organization_id };
    for (const key of [weak.key, String(made.json['key'])]) {
      const answer = await api.call('POST', '/v3/self/keys', { key, body });
      expect([answer.status, answer.json['error']]).toEqual([403, 'forbidden']);
    }
  });

  test('are cut to what the permission allows, at once', async () => {
    const { key } = await issue('/v3/self/keys', { scopes: [...scopes] });
    const rows: [string, (scope: string) => boolean][] = [
      ['viewer', (scope) => scope.endsWith(':read')],
      ['member', (scope) => scope !== 'org:write' && scope !== 'guardrails:write'],
      ['admin', () => true],
    ];
    for (const [permission, allowed] of rows) {
      await api.ctx.db.pool.query('update members set permission = $1', [permission]);
      const { json } = await second.call('GET', '/v3/self', { key });
      expect(json).toMatchObject({ permission, scopes: scopes.filter(allowed) });
    }
  });

  test('end with the membership', async () => {
    const other = await api.createOrganization('Left behind');
    await api.ctx.db.pool.query('delete from members where org_id = $1', [other.id]);
    expect(await statusOf(other.key)).toEqual([401, 'key_revoked']);
  });
});

describe('service users', () => {
  test('create, read, change, list: every documented key each time', async () => {
    const body = { name: 'ci', description: 'Builds.' };
    const made = await api.call('POST', users, { body });
    const fields = ['id', 'name', 'description', 'disabled_at', 'created_at', 'updated_at'];
    expect([made.status, Object.keys(made.json)]).toEqual([201, fields]);
    expect(made.json).toMatchObject({ ...body, disabled_at: null });
    const path = `${users}/${String(made.json['id'])}`;
    expect((await api.call('GET', path)).json).toEqual(made.json);
    const patched = await api.call('PATCH', path, { body: { description: '' } });
    expect(patched.json).toMatchObject({ name: 'ci', description: '' });
    expect((await idsOf(users))[0]).toBe(made.json['id']);
  });

  test('deleting one disables it: its keys stop at once, it stays readable, and gets no new key', async () => {
    const { id, key } = await issue(`${serviceUser}/keys`);
    expect((await api.call('DELETE', serviceUser)).status).toBe(204);
    expect(await statusOf(key, second)).toEqual([401, 'key_revoked']);
    expect((await api.call('GET', serviceUser)).json['disabled_at']).toMatch(/Z$/);
    expect(await idsOf(`${serviceUser}/keys`, 'revoked')).toEqual([id]);
    const body = { name: 'k', scopes: ['run'] };
    expect((await api.call('POST', `${serviceUser}/keys`, { body })).status).toBe(409);
    const wrong = { ...body, expires_at: '2020-01-01T00:00:00Z' };
    expect((await api.call('POST', `${serviceUser}/keys`, { body: wrong })).status).toBe(400);
    expect((await api.call('DELETE', serviceUser)).status).toBe(204);
  });

  test.each([
    ['GET', '', 'service_user_not_found'],
    ['PATCH', '', 'service_user_not_found'],
    ['DELETE', '', 'service_user_not_found'],
    ['GET', '/keys', 'service_user_not_found'],
    ['DELETE', '/keys/key_none', 'service_user_not_found'],
  ])('%s of a missing one%s is 404', async (method, rest, error) => {
    const options = method === 'PATCH' ? { body: { name: 'x' } } : {};
    const answer = await api.call(method, `${users}/svc_none${rest}`, options);
    expect([answer.status, answer.json['error']]).toEqual([404, error]);
  });

  test('reading takes org:read, everything else org:write', async () => {
    const reader = await api.keyWith(['org:read']);
    expect((await api.call('GET', `${serviceUser}/keys`, { key: reader })).status).toBe(200);
    for (const [method, path] of [
      ['POST', users],
      ['PATCH', serviceUser],
      ['DELETE', serviceUser],
      ['POST', `${serviceUser}/keys`],
    ] as const) {
      const answer = await api.call(method, path, { key: reader });
      expect([answer.status, answer.json['error']]).toEqual([403, 'forbidden']);
      expect(answer.json['message']).toContain('org:write');
    }
  });
});

describe('addresses', () => {
  test('a key works from its ranges only; the proxy says the address where the operator trusts it', async () => {
    const trusting = await api.another({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
    const { key } = await issue('/v3/self/keys', { ip_ranges: ['203.0.113.0/24', '2001:db8::/32'] });
    const from = async (address: string, at: TestApi) =>
      (await at.call('GET', '/v3/self', { key, headers: { 'x-forwarded-for': address } })).status;
    for (const [address, status] of [
      ['203.0.113.7', 200],
      ['::ffff:203.0.113.7', 200],
      ['2001:db8::1', 200],
      ['203.0.114.1', 403],
      ['198.51.100.1, 203.0.113.7', 200],
      ['unknown', 403],
    ] as const)
      expect([address, await from(address, trusting)]).toEqual([address, status]);
    expect(await from('203.0.113.7', api)).toBe(403);
    await trusting.close();
  });

  test.each([
    ['10.0.0.0/8', true],
    ['10.1.2.3', true],
    ['::1/128', true],
    ['::ffff:10.0.0.0/104', true],
    ['10.0.0.0/8/8', false],
    ['10.0.0', false],
    ['fe80::1%lo', false],
    ['', false],
  ])('%j as a range: %s', (range, valid) => {
    expect(isCidr(range)).toBe(valid);
    if (valid) expect(inRanges('192.0.2.1', [range])).toBe(false);
  });
});

test('every mutation leaves one audit entry in its organization, without a secret', async () => {
  const { rows } = await api.ctx.db.pool.query<{ action: string; row: string; outcome: string }>(
    `select action, outcome, row_to_json(a)::text as row from audit_entries a`,
  );
  const actions = new Set(rows.map(({ action }) => action));
  for (const action of ['service_user.create', 'service_user.update', 'service_user.disable', 'key.create'])
    expect(actions).toContain(action);
  for (const action of ['key.revoke', 'key.rotate', 'organization.create']) expect(actions).toContain(action);
  expect(rows.map(({ row }) => row).join('')).not.toMatch(/guild_[0-9a-f]{48}/);
  await expect(api.ctx.db.pool.query('delete from audit_entries')).rejects.toThrow('append-only');
});
