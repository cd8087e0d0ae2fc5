import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { join } from '../../../test/support/members.ts';

const path = '/v3/organizations/default/groups';

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
});
afterAll(() => api.close());

let count = 0;
async function create(body: object = {}): Promise<Record<string, unknown>> {
  count += 1;
  const { status, json } = await api.call('POST', path, { body: { name: `Group ${count}`, ...body } });
  expect(status).toBe(201);
  return json;
}

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

async function changesOf(id: unknown): Promise<unknown[]> {
  const { rows } = await api.ctx.db.pool.query(
    'select action, changes from audit_entries where resource_id = $1 order by id',
    [id],
  );
  return rows;
}

const unlimited = { cost_usd: null, tokens: null, sessions: null, sandbox_minutes: null };

describe('a group', () => {
  test('has every documented key and its defaults', async () => {
    const group = await create({ name: 'Plain' });
    expect(group).toEqual({
      id: expect.stringMatching(/^grp_[0-9a-z]{26}$/),
      name: 'Plain',
      description: '',
      member_count: 0,
      members_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      limits: { per_day: unlimited, timezone: 'UTC', on_exceed: 'block' },
    });
    expect((await api.call('GET', `${path}/${String(group['id'])}`)).json).toEqual(group);
    expect(await changesOf(group['id'])).toEqual([{ action: 'group.create', changes: { name: 'Plain', limits: {} } }]);
  });

  test('takes limits, and changes of what is named alone', async () => {
    const per_day = { cost_usd: 12.5, tokens: 1_000_000, sessions: 10, sandbox_minutes: 90.5 };
    const limits = { per_day, timezone: 'europe/berlin', on_exceed: 'queue' };
    const group = await create({ description: 'Of many', limits });
    expect(group['limits']).toEqual({ ...limits, timezone: 'Europe/Berlin' });
    const at = `${path}/${String(group['id'])}`;
    const changed = await api.call('PATCH', at, { body: { limits: { per_day: { sessions: 0, cost_usd: null } } } });
    expect(changed.status).toBe(200);
    expect(changed.json).toEqual({
      ...group,
      limits: { per_day: { ...per_day, sessions: 0, cost_usd: null }, timezone: 'Europe/Berlin', on_exceed: 'queue' },
    });
    const renamed = await api.call('PATCH', at, { body: { name: 'Of few', description: '' } });
    expect(renamed.json).toEqual({ ...changed.json, name: 'Of few', description: '' });
    expect((await api.call('PATCH', at, { body: {} })).json).toEqual(renamed.json);
    expect(await changesOf(group['id'])).toEqual([
      { action: 'group.create', changes: { name: group['name'], limits } },
      { action: 'group.update', changes: { limits: { per_day: { sessions: 0, cost_usd: null } } } },
      { action: 'group.update', changes: { name: 'Of few', description: '' } },
    ]);
  });

  test.each<[string, object, string]>([
    ['no name', {}, 'body.name'],
    ['an empty name', { name: '' }, 'body.name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'body.name'],
    ['a description of 2001 characters', { name: 'x', description: 'x'.repeat(2_001) }, 'body.description'],
    ['a limit below zero', { name: 'x', limits: { per_day: { sessions: -1 } } }, 'sessions'],
    ['a limit that is no integer', { name: 'x', limits: { per_day: { tokens: 1.5 } } }, 'tokens'],
    ['a limit that is text', { name: 'x', limits: { per_day: { cost_usd: '1' } } }, 'cost_usd'],
    ['more minutes than there can be', { name: 'x', limits: { per_day: { sandbox_minutes: 1e8 } } }, 'sandbox_minutes'],
    ['an unknown limit', { name: 'x', limits: { per_day: { requests: 1 } } }, 'requests'],
    ['no time zone', { name: 'x', limits: { timezone: 'Mars/Olympus' } }, 'body.limits.timezone'],
    ['an offset', { name: 'x', limits: { timezone: '+02:00' } }, 'body.limits.timezone'],
    ['another way to exceed', { name: 'x', limits: { on_exceed: 'warn' } }, 'on_exceed'],
    ['an unknown key', { name: 'x', members: [] }, 'members'],
  ])('with %s is 400 that names it', async (_name, body, place) => {
    const { status, json } = await api.call('POST', path, { body });
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(json['message']).toContain(place);
  });

  test('has a name of its own, whatever its case, also among those who ask at once', async () => {
    const group = await create({ name: 'Plätze' });
    expect(errorOf(await api.call('POST', path, { body: { name: 'plätze' } }))).toEqual([409, 'conflict']);
    const other = await create();
    const at = `${path}/${String(other['id'])}`;
    expect(errorOf(await api.call('PATCH', at, { body: { name: 'PLÄTZE' } }))).toEqual([409, 'conflict']);
    const headers = { 'if-match': '"other"' };
    expect(errorOf(await api.call('PATCH', at, { headers, body: { name: 'PLÄTZE' } }))).toEqual([409, 'conflict']);
    expect(errorOf(await api.call('PATCH', at, { headers, body: { name: 'Z' } }))).toEqual([412, 'revision_conflict']);
    const same = await api.call('PATCH', `${path}/${String(group['id'])}`, { body: { name: 'PLÄTZE' } });
    expect(same.json['name']).toBe('PLÄTZE');
    const races = await Promise.all(
      Array.from({ length: 8 }, () => api.call('POST', path, { body: { name: 'Once' } })),
    );
    expect(races.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)]);
    const { key, slug } = await api.createOrganization('Namesake');
    const elsewhere = await api.call('POST', `/v3/organizations/${slug}/groups`, { key, body: { name: 'Once' } });
    expect(elsewhere.status).toBe(201);
  });

  test('is gone when it is deleted, and its name is free', async () => {
    const group = await create({ name: 'Short-lived' });
    const at = `${path}/${String(group['id'])}`;
    const gone = await api.call('DELETE', at);
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const [method, below] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/usage'],
      ['GET', '/members'],
      ['PUT', '/members'],
      ['POST', '/members'],
      ['DELETE', '/members'],
    ] as const) {
      const body = below === '/members' ? { user_ids: [] } : {};
      const answer = await api.call(method, `${at}${below}`, method === 'GET' ? {} : { body });
      expect([method, below, ...errorOf(answer)]).toEqual([method, below, 404, 'group_not_found']);
    }
    await create({ name: 'Short-lived' });
  });

  test('comes in pages, newest first', async () => {
    const { key, slug } = await api.createOrganization('Pages');
    const at = `/v3/organizations/${slug}/groups`;
    for (const name of ['a', 'b', 'c']) await api.call('POST', at, { key, body: { name } });
    const first = await api.call('GET', `${at}?first=2`, { key });
    expect(first.json).toMatchObject({ items: [{ name: 'c' }, { name: 'b' }], has_next_page: true, total: 3 });
    const second = await api.call('GET', `${at}?first=2&after=${String(first.json['end_cursor'])}`, { key });
    expect(second.json).toMatchObject({ items: [{ name: 'a' }], has_next_page: false, total: 3 });
  });

  test('is read with org:read and written with org:write', async () => {
    const at = `${path}/${String((await create())['id'])}`;
    const reader = await api.keyWith(['org:read']);
    const writer = await api.keyWith(['org:write']);
    const writes = [
      ['POST', path],
      ['PATCH', at],
      ['PUT', `${at}/members`],
      ['POST', `${at}/members`],
      ['DELETE', `${at}/members`],
      ['DELETE', at],
    ] as const;
    for (const at_ of [path, at, `${at}/members`, `${at}/usage`]) {
      expect((await api.call('GET', at_, { key: reader })).status).toBe(200);
      expect(errorOf(await api.call('GET', at_, { key: writer }))).toEqual([403, 'forbidden']);
    }
    for (const [method, at_] of writes) {
      const answer = await api.call(method, at_, { key: reader, body: { name: 'x', user_ids: [] } });
      expect([method, at_, ...errorOf(answer)]).toEqual([method, at_, 403, 'forbidden']);
    }
  });
});

describe("a group's members", () => {
  test('are added, replaced and removed', async () => {
    const [ada, bob, eve] = [
      await join(api, orgId, 'member'),
      await join(api, orgId, 'viewer'),
      await join(api, orgId, 'admin'),
    ];
    const id = String((await create())['id']);
    const at = `${path}/${id}/members`;
    const members = async (): Promise<unknown[]> => {
      const { json } = await api.call('GET', at);
      const items: unknown[] = Array.isArray(json['items']) ? json['items'] : [];
      expect(json['total']).toBe(items.length);
      return items.map((item) => Object(item).user_id);
    };
    expect(await members()).toEqual([]);
    const added = await api.call('POST', at, { body: { user_ids: [ada, bob, ada] } });
    expect([added.status, added.json['member_count']]).toEqual([200, 2]);
    expect((await api.call('POST', at, { body: { user_ids: [bob] } })).json).toEqual(added.json);
    expect(await members()).toEqual([bob, ada]);
    expect((await api.call('GET', `${path}/${id}`)).json).toEqual(added.json);
    const replaced = await api.call('PUT', at, { body: { user_ids: [eve, bob] } });
    expect([replaced.status, replaced.json['member_count']]).toEqual([200, 2]);
    expect(replaced.json['members_digest']).not.toBe(added.json['members_digest']);
    expect(await members()).toEqual([eve, bob]);
    const removed = await api.call('DELETE', at, { body: { user_ids: [eve, ada] } });
    expect([removed.status, removed.json['member_count']]).toEqual([200, 1]);
    expect(await members()).toEqual([bob]);
    expect((await api.call('PUT', at, { body: { user_ids: [] } })).json['member_count']).toBe(0);
    expect(await changesOf(id)).toContainEqual({ action: 'group.members_remove', changes: { user_ids: [eve, ada] } });
    const { json } = await api.call('POST', at, { body: { user_ids: [ada] } });
    expect(json['member_count']).toBe(1);
    const [item] = Object((await api.call('GET', at)).json['items']);
    expect(item).toEqual((await api.call('GET', `/v3/organizations/default/members/${ada}`)).json);
  });

  test('are members of the organization, and nothing changes when one of them is not', async () => {
    const ada = await join(api, orgId, 'member');
    const other = await api.createOrganization('Strangers');
    const stranger = await join(api, other.id, 'member');
    const id = String((await create())['id']);
    for (const nobody of [stranger, 'usr_none'])
      for (const method of ['POST', 'PUT'] as const) {
        const answer = await api.call(method, `${path}/${id}/members`, { body: { user_ids: [ada, nobody] } });
        expect(errorOf(answer)).toEqual([404, 'user_not_found']);
        expect((await api.call('GET', `${path}/${id}`)).json['member_count']).toBe(0);
      }
    for (const body of [{}, { user_ids: 'x' }, { user_ids: [1] }, { user_ids: Array(1_001).fill('x') }])
      expect(errorOf(await api.call('POST', `${path}/${id}/members`, { body }))).toEqual([400, 'invalid_request']);
  });

  test('leave it when they leave the organization', async () => {
    const ada = await join(api, orgId, 'member');
    const id = String((await create())['id']);
    await api.call('POST', `${path}/${id}/members`, { body: { user_ids: [ada] } });
    expect((await api.call('DELETE', `/v3/organizations/default/members/${ada}`)).status).toBe(204);
    expect((await api.call('GET', `${path}/${id}`)).json['member_count']).toBe(0);
  });
});

describe("a group's usage", () => {
  test('is nothing on a day on which nothing ran', async () => {
    await withinOneDay('Pacific/Auckland');
    const limits = { per_day: { sessions: 3 }, timezone: 'Pacific/Auckland' };
    const group = await create({ limits });
    const at = `${path}/${String(group['id'])}/usage`;
    const nothing = { cost_usd: 0, tokens: 0, sessions: 0, sandbox_minutes: 0 };
    const { status, json } = await api.call('GET', at);
    expect([status, json]).toEqual([
      200,
      {
        date: new Date().toLocaleDateString('sv-SE', { timeZone: 'Pacific/Auckland' }),
        timezone: 'Pacific/Auckland',
        limits: group['limits'],
        used: nothing,
        reserved: nothing,
      },
    ]);
    expect((await api.call('GET', `${at}?date=2024-02-29`)).json['date']).toBe('2024-02-29');
  });

  test.each(['2025-02-29', '2026-1-1', 'today', '', '2026-13-01', '20260101', '0000-00-00'])(
    'on %j is 400',
    async (date) => {
      const at = `${path}/${String((await create())['id'])}/usage`;
      expect(errorOf(await api.call('GET', `${at}?date=${date}`))).toEqual([400, 'invalid_request']);
    },
  );
});
