import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';

const path = '/v3/organizations/default/roles';

let api: TestApi;
let orgId: string;
let members: string[];
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  members = [String((await api.call('GET', '/v3/self')).json['principal_id'])];
  for (let index = 0; index < 5; index += 1) members.unshift(await join(api, orgId, 'member'));
});
afterAll(() => api.close());

async function pageOf(query: string): Promise<{ ids: string[]; after: string; more: boolean; total: unknown }> {
  const { status, json } = await api.call('GET', `${path}?${query}`);
  expect(status).toBe(200);
  const items: { user_id: string }[] = Object(json['items']);
  return {
    ids: items.map((item) => item.user_id),
    after: String(json['end_cursor']),
    more: json['has_next_page'] === true,
    total: json['total'],
  };
}

test('every member is listed, newest first, page by page', async () => {
  const whole = await pageOf('');
  expect(whole).toMatchObject({ ids: members, more: false, total: 6 });
  const first = await pageOf('first=4');
  expect(first).toMatchObject({ ids: members.slice(0, 4), more: true, total: 6 });
  expect(await pageOf(`first=4&after=${first.after}`)).toMatchObject({ ids: members.slice(4), more: false });
});

test('a member whose role nobody set is regular, since never', async () => {
  const { json } = await api.call('GET', path);
  for (const item of Object(json['items'])) expect(item).toMatchObject({ role: 'regular', updated_at: null });
  const one = await api.call('GET', `${path}/${members[0] ?? ''}`);
  expect(one.json).toEqual({ user_id: members[0], role: 'regular', updated_at: null });
});

test('a person sees their role at once', async () => {
  const userId = await join(api, orgId, 'member');
  const key = await personalKey(api, orgId, userId);
  expect((await api.call('GET', '/v3/self', { key })).json['role']).toBe('regular');
  await api.call('PUT', path, { body: { user_id: userId, role: 'pro' } });
  expect((await api.call('GET', '/v3/self', { key })).json['role']).toBe('pro');
});

test('holds in one organization and not in another of the same person', async () => {
  const other = await api.createOrganization('Also mine');
  const userId = members.at(-1);
  await api.call('PUT', path, { body: { user_id: userId, role: 'pro' } });
  const there = await api.call('GET', `/v3/organizations/${other.slug}/roles/${String(userId)}`, { key: other.key });
  expect(there.json).toMatchObject({ role: 'regular', updated_at: null });
});

test.each([
  ['first=0', 'invalid_request'],
  ['first=201', 'invalid_request'],
  ['role=pro', 'invalid_request'],
  ['after=x', 'invalid_cursor'],
])('the list with %s is 400 %s', async (query, error) => {
  const answer = await api.call('GET', `${path}?${query}`);
  expect([answer.status, answer.json['error']]).toEqual([400, error]);
});

test('reading takes org:read; nobody who is not a member has a role', async () => {
  const other = await api.createOrganization('Elsewhere');
  const stranger = await join(api, other.id, 'member');
  for (const rest of ['', `/${members[0] ?? ''}`]) {
    expect((await api.call('GET', path + rest, { key: await api.keyWith(['org:read']) })).status).toBe(200);
    const refused = await api.call('GET', path + rest, { key: await api.keyWith(['org:write']) });
    expect([refused.status, refused.json['error']]).toEqual([403, 'forbidden']);
    expect((await api.call('GET', path + rest, { key: other.key })).json['error']).toBe('organization_not_found');
  }
  for (const id of [stranger, 'usr_none']) {
    const missing = await api.call('GET', `${path}/${id}`);
    expect([missing.status, missing.json['error']]).toEqual([404, 'user_not_found']);
  }
});
