import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { sessionIn } from '../../../test/support/session-states.ts';

let api: TestApi;
let orgId: string;
const path = '/v3/organizations/default';
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', path)).json['id']);
});
afterAll(() => api.close());

async function self(key: string): Promise<Record<string, unknown>> {
  const { status, json } = await api.call('GET', '/v3/self', { key });
  expect(status).toBe(200);
  return json;
}

describe("the caller's organizations", () => {
  test('are those of the user, newest first, each with the permission there', async () => {
    const other = await api.createOrganization('Second');
    await api.createOrganization('Of somebody else');
    const userId = await join(api, orgId, 'viewer');
    const key = await personalKey(api, orgId, userId);
    const first = { id: orgId, slug: 'default', name: 'Default', permission: 'viewer' };
    expect((await self(key))['organizations']).toEqual([first]);
    await api.ctx.db.pool.query(`insert into members (org_id, user_id, permission) values ($1, $2, 'member')`, [
      other.id,
      userId,
    ]);
    const second = { id: other.id, slug: other.slug, name: 'Second', permission: 'member' };
    expect((await self(key))['organizations']).toEqual([second, first]);
  });

  test('are one for a service user', async () => {
    const { json: made } = await api.call('POST', `${path}/service-users`, { body: { name: 'robot' } });
    const issued = await api.call('POST', `${path}/service-users/${String(made['id'])}/keys`, {
      body: { name: 'x', scopes: ['sessions:read'] },
    });
    const told = await self(String(issued.json['key']));
    expect(told).toMatchObject({
      principal_type: 'service_user',
      organizations: [{ id: orgId, permission: '' }],
      limits: { groups: [], max_concurrent_own: 0, running_own: 0 },
    });
  });
});

describe("the caller's limits", () => {
  test('are the groups of the user with the use of today and the next midnight, and no other group', async () => {
    await withinOneDay('Asia/Kolkata');
    const userId = await join(api, orgId, 'member');
    const key = await personalKey(api, orgId, userId);
    const limits = { per_day: { cost_usd: 20 }, timezone: 'Asia/Kolkata', on_exceed: 'queue' };
    const made: string[] = [];
    for (const name of ['Used', 'Unused', 'Of others']) {
      const { json } = await api.call('POST', `${path}/groups`, { body: { name, limits } });
      made.push(String(json['id']));
    }
    for (const id of made.slice(0, 2))
      await api.call('PUT', `${path}/groups/${id}/members`, { body: { user_ids: [userId] } });
    await api.call('PUT', `${path}/groups/${made[2] ?? ''}/members`, { body: { user_ids: [] } });
    await api.ctx.db.pool.query(
      `insert into group_days (group_id, day, tokens, cost_usd, reserved_cost_usd)
       select $1, (now() at time zone 'Asia/Kolkata')::date + n, 70, 3.1, 0.4 from generate_series(-1, 0) n`,
      [made[0]],
    );
    const { groups } = Object((await self(key))['limits']);
    const zero = { cost_usd: 0, tokens: 0, sessions: 0, sandbox_minutes: 0 };
    expect(groups).toEqual([
      {
        id: made[0],
        name: 'Used',
        limits: { ...limits, per_day: { cost_usd: 20, tokens: null, sessions: null, sandbox_minutes: null } },
        used: { ...zero, cost_usd: 3.1, tokens: 70 },
        reserved: { ...zero, cost_usd: 0.4 },
        // Midnight in Kolkata, half an hour off the hours of UTC.
        resets_at: expect.stringMatching(/T18:30:00\.000Z$/),
      },
      expect.objectContaining({ id: made[1], name: 'Unused', used: zero, reserved: zero }),
    ]);
    const usage = await api.call('GET', `${path}/groups/${made[0] ?? ''}/usage`);
    expect(usage.json).toMatchObject({ used: groups[0].used, reserved: groups[0].reserved });
    expect(Date.parse(groups[0].resets_at)).toBeGreaterThan(Date.now());
  });

  test('count the sessions that run, and have those of the role regular', async () => {
    const put = (body: object) => api.call('PUT', `${path}/settings/sessions`, { body });
    const userId = await join(api, orgId, 'member');
    const key = await personalKey(api, orgId, userId);
    const before = Object((await self(key))['limits']);
    expect(before).toMatchObject({ max_concurrent: 0, max_concurrent_own: 0, running_own: 0 });
    await put({ max_concurrent: 9, max_concurrent_regular: 2 });
    await sessionIn(api, 'running', { prompt: 'One' });
    expect((await self(key))['limits']).toMatchObject({
      max_concurrent: 9,
      running: before.running + 1,
      max_concurrent_own: 2,
      running_own: 0,
    });
    await api.call('PUT', `${path}/roles`, { body: { user_id: userId, role: 'pro' } });
    expect((await self(key))['limits']).toMatchObject({ max_concurrent: 9, max_concurrent_own: 0 });
    await put({});
  });
});
