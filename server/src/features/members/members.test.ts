import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { openStream } from '../../../test/support/event-stream.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { sessionIn } from '../../../test/support/session-states.ts';

const path = '/v3/organizations/default/members';

let api: TestApi;
let second: TestApi;
let orgId: string;
let first: string;
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
  const { json } = await api.call('GET', '/v3/self');
  orgId = String(Object(json['organization']).id);
  first = String(json['principal_id']);
});
afterAll(async () => {
  await second.close();
  await api.close();
});

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

function change(userId: string, body: object, key = api.adminKey): Promise<Answer> {
  return api.call('PATCH', `${path}/${userId}`, { key, body });
}

/** Creates an organization with its members. */
async function elsewhere() {
  const { id, key, slug } = await api.createOrganization('Elsewhere');
  return { id, key, path: `/v3/organizations/${slug}/members` };
}

describe('reading', () => {
  test('a member has every documented key', async () => {
    const userId = await join(api, orgId, 'viewer', 'Grace@example.com');
    const { status, json } = await api.call('GET', `${path}/${userId}`);
    expect(status).toBe(200);
    expect(json).toEqual({
      user_id: userId,
      email: 'Grace@example.com',
      name: expect.stringMatching(/^Person/),
      permission: 'viewer',
      role: 'regular',
      source: 'direct',
      joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      last_active_at: null,
    });
    const listed = await api.call('GET', `${path}?search=grace@`);
    expect(listed.json).toMatchObject({ items: [json], total: 1, has_next_page: false });
  });

  test('shows when a person was last there, by any key of theirs', async () => {
    const userId = await join(api, orgId, 'member');
    const key = await personalKey(api, orgId, userId);
    const third = await api.another();
    const before = Date.now();
    await third.call('GET', '/v3/self', { key });
    await third.close();
    const { json } = await api.call('GET', `${path}/${userId}`);
    expect(Date.parse(String(json['last_active_at']))).toBeGreaterThanOrEqual(before);
  });

  test('lists page by page, who joined last first', async () => {
    const other = await elsewhere();
    const joined = [await join(api, other.id, 'member'), await join(api, other.id, 'viewer')];
    // A former member who joined again.
    await api.ctx.db.pool.query(
      `insert into members (org_id, user_id, permission) select $1, user_id, 'viewer' from members
       where org_id = $2 and user_id <> $3 order by user_id limit 1`,
      [other.id, orgId, first],
    );
    const everyone = await api.call('GET', other.path, { key: other.key });
    const ids = Object(everyone.json['items']).map(({ user_id: id }: { user_id: string }) => id);
    expect(ids).toHaveLength(4);
    expect(ids.slice(1)).toEqual([joined[1], joined[0], first]);
    const seen: string[] = [];
    for (let after = ''; ;) {
      const page = await api.call('GET', `${other.path}?first=1${after}`, { key: other.key });
      expect([page.status, page.json['total']]).toEqual([200, 4]);
      for (const { user_id: id } of Object(page.json['items'])) seen.push(id);
      if (page.json['has_next_page'] !== true) break;
      after = `&after=${String(page.json['end_cursor'])}`;
    }
    expect(seen).toEqual(ids);
  });

  test('finds by a part of the name or the e-mail, and by permission', async () => {
    const other = await elsewhere();
    const [ann, bob] = [
      await join(api, other.id, 'member', 'ann_1@search.example'),
      await join(api, other.id, 'viewer', 'annx1@search.example'),
    ];
    const rows: [string, string[]][] = [
      ['search=ANN', [bob, ann]],
      ['search=ann_', [ann]],
      ['search=%25', []],
      ['search=administrator', [first]],
      ['permission=viewer', [bob]],
      ['permission=viewer,member', [bob, ann]],
      ['permission=admin&search=ann', []],
    ];
    for (const [query, expected] of rows) {
      const { json } = await api.call('GET', `${other.path}?${query}`, { key: other.key });
      const ids = Object(json['items']).map(({ user_id: id }: { user_id: string }) => id);
      expect([query, ids, json['total']]).toEqual([query, expected, expected.length]);
    }
    const page = await api.call('GET', `${other.path}?first=1&search=ann`, { key: other.key });
    const after = String(page.json['end_cursor']);
    const misused = await api.call('GET', `${other.path}?first=1&search=bob&after=${after}`, { key: other.key });
    expect(errorOf(misused)).toEqual([400, 'invalid_cursor']);
  });

  test.each(['permission=owner', 'permission=', 'first=0', 'first=201', 'role=pro', `search=${'x'.repeat(201)}`])(
    'with %s is 400',
    async (query) => {
      expect(errorOf(await api.call('GET', `${path}?${query}`))).toEqual([400, 'invalid_request']);
    },
  );
});

describe('changing the permission', () => {
  test('holds at once for the keys the member has', async () => {
    const userId = await join(api, orgId, 'viewer');
    const key = await personalKey(api, orgId, userId);
    for (const permission of ['member', 'admin', 'viewer']) {
      const { status, json } = await change(userId, { permission });
      expect([status, json]).toEqual([200, (await api.call('GET', `${path}/${userId}`)).json]);
      expect(json['permission']).toBe(permission);
      const self = (await second.call('GET', '/v3/self', { key })).json;
      expect(self['permission']).toBe(permission);
      expect(Object(self['scopes']).includes('org:write')).toBe(permission === 'admin');
    }
  });

  test.each([
    {},
    { permission: 'owner' },
    { permission: null },
    { permission: 1 },
    { permission: 'member', role: 'pro' },
  ])('to %j is 400', async (body) => {
    expect(errorOf(await change(first, body))).toEqual([400, 'invalid_request']);
  });

  test('the last administrator stays one, as long as nobody else is', async () => {
    const other = await elsewhere();
    const ask = (method: string, userId: string, body?: object) =>
      api.call(method, `${other.path}/${userId}`, { key: other.key, ...(body === undefined ? {} : { body }) });
    const heir = await join(api, other.id, 'member');
    for (const permission of ['member', 'viewer'])
      expect(errorOf(await ask('PATCH', first, { permission }))).toEqual([409, 'last_admin']);
    expect(errorOf(await ask('DELETE', first))).toEqual([409, 'last_admin']);
    expect((await ask('PATCH', first, { permission: 'admin' })).status).toBe(200);
    expect((await ask('PATCH', heir, { permission: 'admin' })).status).toBe(200);
    expect((await ask('PATCH', first, { permission: 'member' })).status).toBe(200);
    const key = await personalKey(api, other.id, heir);
    expect(errorOf(await api.call('DELETE', `${other.path}/${heir}`, { key }))).toEqual([409, 'last_admin']);
  });

  test('administrators who demote or remove each other at once leave one', async () => {
    const other = await elsewhere();
    const admins = [first];
    for (let index = 0; index < 5; index += 1) admins.push(await join(api, other.id, 'admin'));
    const machine = await api.call('POST', other.path.replace('/members', '/service-users'), {
      key: other.key,
      body: { name: 'x' },
    });
    const issued = await api.call(
      'POST',
      `${other.path.replace('/members', '/service-users')}/${String(machine.json['id'])}/keys`,
      { key: other.key, body: { name: 'x', scopes: ['org:read', 'org:write'] } },
    );
    const key = String(issued.json['key']);
    const answers = await Promise.all(
      admins.map((userId, index) => {
        const process = index % 2 === 0 ? api : second;
        return index < 3
          ? process.call('DELETE', `${other.path}/${userId}`, { key })
          : process.call('PATCH', `${other.path}/${userId}`, { key, body: { permission: 'viewer' } });
      }),
    );
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.map(errorOf)).toEqual([[409, 'last_admin']]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(5);
    const left = await api.call('GET', `${other.path}?permission=admin`, { key });
    expect(left.json['total']).toBe(1);
  });
});

test('a promotion gives no scope that the key which asks lacks; a demotion gives none', async () => {
  const userId = await join(api, orgId, 'viewer');
  const key = await api.keyWith(['org:read', 'org:write']);
  for (const permission of ['member', 'admin']) {
    const refused = await change(userId, { permission }, key);
    expect(errorOf(refused)).toEqual([403, 'forbidden']);
    expect(refused.json['message']).toMatch(/secrets:write.*permission/);
  }
  expect((await change(userId, { permission: 'viewer' }, key)).status).toBe(200);
  await change(userId, { permission: 'admin' });
  expect((await change(userId, { permission: 'member' }, key)).json['permission']).toBe('member');
});

describe('removing a member', () => {
  test('revokes every key of theirs here at once, and none elsewhere', async () => {
    const userId = await join(api, orgId, 'member');
    const other = await elsewhere();
    await api.ctx.db.pool.query('insert into members (org_id, user_id, permission) values ($1, $2, $3)', [
      other.id,
      userId,
      'member',
    ]);
    const keys = [await personalKey(api, orgId, userId), await personalKey(api, orgId, userId)];
    const kept = await personalKey(api, other.id, userId);
    const session = await sessionIn(api, 'waiting');
    const stream = await openStream(second, `${session.path}/events/stream`, { key: keys[0] ?? '' });
    expect(stream.status).toBe(200);
    expect((await api.call('DELETE', `${path}/${userId}`)).status).toBe(204);
    await stream.ended;
    for (const key of keys)
      expect(errorOf(await second.call('GET', '/v3/self', { key }))).toEqual([401, 'key_revoked']);
    expect((await second.call('GET', '/v3/self', { key: kept })).status).toBe(200);
    for (const method of ['GET', 'DELETE'])
      expect(errorOf(await api.call(method, `${path}/${userId}`))).toEqual([404, 'user_not_found']);
    expect((await api.call('GET', `/v3/organizations/default/roles/${userId}`)).status).toBe(404);
    // Joining again restores none of them.
    await api.ctx.db.pool.query('insert into members (org_id, user_id, permission) values ($1, $2, $3)', [
      orgId,
      userId,
      'member',
    ]);
    for (const key of keys) expect(errorOf(await api.call('GET', '/v3/self', { key }))).toEqual([401, 'key_revoked']);
  });

  test('an administrator may leave where another one stays', async () => {
    const other = await elsewhere();
    const heir = await join(api, other.id, 'admin');
    expect((await api.call('DELETE', `${other.path}/${first}`, { key: other.key })).status).toBe(204);
    const key = await personalKey(api, other.id, heir);
    expect((await api.call('GET', other.path, { key })).json['total']).toBe(1);
  });
});

test('every change is on record, and what was refused is not', async () => {
  const userId = await join(api, orgId, 'viewer');
  await change(userId, { permission: 'member' });
  await change(userId, { permission: 'owner' });
  await api.call('DELETE', `${path}/${userId}`);
  await api.call('DELETE', `${path}/${userId}`);
  const { rows } = await api.ctx.db.pool.query(
    'select action, actor_id, resource_type, changes from audit_entries where resource_id = $1 order by id',
    [userId],
  );
  expect(rows).toEqual([
    { action: 'member.update', actor_id: first, resource_type: 'user', changes: { permission: 'member' } },
    { action: 'member.delete', actor_id: first, resource_type: 'user', changes: {} },
  ]);
});

test('reading takes org:read and changing org:write; another organization is not there, nor are its members', async () => {
  const other = await elsewhere();
  const stranger = await join(api, other.id, 'member');
  const [reader, writer] = [await api.keyWith(['org:read']), await api.keyWith(['org:write'])];
  const target = await join(api, orgId, 'member');
  const body = { permission: 'viewer' };
  const rows: [string, string, string, object?][] = [
    ['GET', '', writer],
    ['GET', `/${target}`, writer],
    ['PATCH', `/${target}`, reader, body],
    ['DELETE', `/${target}`, reader],
  ];
  for (const [method, rest, wrong, payload] of rows) {
    const send = (key: string, to = path + rest) =>
      api.call(method, to, { key, ...(payload === undefined ? {} : { body: payload }) });
    expect([method, ...errorOf(await send(wrong))]).toEqual([method, 403, 'forbidden']);
    expect([method, ...errorOf(await send(other.key))]).toEqual([method, 404, 'organization_not_found']);
    if (rest === '') continue;
    for (const id of [stranger, 'usr_none'])
      expect([method, ...errorOf(await send(api.adminKey, `${path}/${id}`))]).toEqual([method, 404, 'user_not_found']);
    expect((await send(wrong === reader ? writer : reader)).status).toBeLessThan(300);
  }
  expect((await api.call('GET', `${other.path}/${stranger}`, { key: other.key })).status).toBe(200);
});
