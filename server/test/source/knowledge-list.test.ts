import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../src/lib/scopes.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { join, personalKey } from '../support/members.ts';

const path = '/v3/organizations/default/knowledge/notes';

let api: TestApi;
let orgId: string;
let elsewhere: { id: string; slug: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  elsewhere = await api.createOrganization('Elsewhere');
});
afterAll(() => api.close());

async function create(fields: object, key = api.adminKey, slug = 'default'): Promise<Record<string, unknown>> {
  const body = { name: 'A name', trigger: 'A trigger', body: 'A body', ...fields };
  const answer = await api.call('POST', `/v3/organizations/${slug}/knowledge/notes`, { key, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
}

/** The error envelope (section 2): both are strings; the contract adds the request id. */
function envelope(error: string): object {
  return { error, message: expect.stringMatching(/\S/), request_id: expect.stringMatching(/^req_/) };
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('source 4.4, list knowledge notes: method, path and scope', () => {
  test('GET /v3/organizations/{orgId}/knowledge/notes takes knowledge:read, and that alone suffices', async () => {
    expect((await api.call('GET', path, { key: await api.keyWith(['knowledge:read']) })).status).toBe(200);
    for (const scope of scopes.filter((other) => other !== 'knowledge:read')) {
      const { status, json } = await api.call('GET', path, { key: await api.keyWith([scope]) });
      expect([scope, status, json]).toEqual([scope, 403, envelope('forbidden')]);
      expect(json['message']).toContain('knowledge:read');
    }
  });

  test('{orgId} is the id or the slug', async () => {
    for (const organization of [orgId, 'default'])
      expect((await api.call('GET', `/v3/organizations/${organization}/knowledge/notes`)).status).toBe(200);
  });

  test('without a key it is 401, of another organization 404', async () => {
    const nobody = await api.call('GET', path, { key: '' });
    expect([nobody.status, nobody.json]).toEqual([401, envelope('unauthorized')]);
    for (const [organization, key] of [
      [elsewhere.slug, api.adminKey],
      ['default', elsewhere.key],
      ['org_none', api.adminKey],
    ]) {
      const foreign = await api.call('GET', `/v3/organizations/${organization}/knowledge/notes`, { key: key ?? '' });
      expect([foreign.status, foreign.json]).toEqual([404, envelope('organization_not_found')]);
    }
  });

  test('no scope for writing is needed, and none is enough', async () => {
    const { status, json } = await api.call('GET', path, { key: await api.keyWith(['memory:write']) });
    expect([status, json]).toEqual([403, envelope('forbidden')]);
  });
});

describe('source 4.4: response body', () => {
  test('without notes: items and total, and what every list has beside them', async () => {
    const { status, headers, json } = await api.call('GET', path);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toEqual({ items: [], total: 0, end_cursor: '', has_next_page: false });
  });

  test('an item has every field of section 2, of its type; timestamps are ISO 8601', async () => {
    const before = Date.now();
    const made = await create({ name: 'Ünïcödé 😀', scope: 'repository', repo_filter: 'acme/web,acme/*' });
    const { json } = await api.call('GET', path);
    expect(json['total']).toBe(1);
    const item: Record<string, unknown> = Object(json['items'])[0];
    expect(item).toMatchObject({
      note_id: made['note_id'],
      name: 'Ünïcödé 😀',
      trigger: 'A trigger',
      body: 'A body',
      scope: 'repository',
      repo_filter: 'acme/web,acme/*',
    });
    for (const field of ['note_id', 'name', 'trigger', 'body', 'scope', 'repo_filter'])
      expect([field, typeof item[field]]).toEqual([field, 'string']);
    expect(item['note_id']).toMatch(/^note_[0-9a-z]{26}$/);
    for (const field of ['created_at', 'updated_at']) {
      expect([field, item[field]]).toEqual([field, expect.stringMatching(instant)]);
      expect(Date.parse(String(item[field]))).toBeGreaterThanOrEqual(before);
      expect(Date.parse(String(item[field]))).toBeLessThanOrEqual(Date.now());
    }
    // The contract's additions, which are always present.
    const source = 'note_id name trigger body scope repo_filter created_at updated_at';
    const added = 'enabled revision source created_by use_count last_used_at';
    expect(Object.keys(item).toSorted()).toEqual(`${source} ${added}`.split(' ').toSorted());
    expect(item).toEqual(made);
  });

  test('an unset repo_filter is an empty string', async () => {
    const made = await create({ name: 'Everywhere' });
    expect(made).toMatchObject({ repo_filter: '', scope: 'organization' });
  });

  test('total counts all, and not another organization', async () => {
    await create({ name: 'Theirs' }, elsewhere.key, elsewhere.slug);
    const total = Number((await api.call('GET', path)).json['total']);
    for (let more = 1; more <= 3; more += 1) await create({ name: `More ${more}` });
    const { json, text } = await api.call('GET', `${path}?first=2`);
    expect([json['total'], Object(json['items']).length, json['has_next_page']]).toEqual([total + 3, 2, true]);
    expect(text).not.toContain('Theirs');
    expect(
      (await api.call('GET', `/v3/organizations/${elsewhere.slug}/knowledge/notes`, { key: elsewhere.key })).json,
    ).toMatchObject({
      total: 1,
      items: [{ name: 'Theirs' }],
    });
  });

  test('pages follow one another without a gap, newest first', async () => {
    const seen: string[] = [];
    for (let after = '', more = true; more;) {
      const query = after === '' ? '?first=2' : `?first=2&after=${after}`;
      const { json } = await api.call('GET', `${path}${query}`);
      seen.push(...Object(json['items']).map((item: object) => String(Object(item).note_id)));
      [after, more] = [String(json['end_cursor']), json['has_next_page'] === true];
    }
    expect(seen).toEqual(seen.toSorted().toReversed());
    expect(seen.length).toBe(Number((await api.call('GET', path)).json['total']));
  });

  test("a person's own note is in its owner's list, and in nobody else's", async () => {
    const ada = await join(api, orgId, 'member');
    const key = await personalKey(api, orgId, ada);
    await create({ name: 'Hers', scope: 'user' }, key);
    expect((await api.call('GET', path, { key })).text).toContain('Hers');
    expect((await api.call('GET', path)).text).not.toContain('Hers');
  });
});

describe('source 4.4: limits of the query', () => {
  test.each(['first=1', 'first=200', `search=${'x'.repeat(500)}`])('%s is taken', async (query) => {
    expect((await api.call('GET', `${path}?${query}`)).status).toBe(200);
  });

  test.each<[string, string, string]>([
    ['first=0', 'invalid_request', 'query.first'],
    ['first=201', 'invalid_request', 'query.first'],
    ['first=x', 'invalid_request', 'query.first'],
    [`search=${'x'.repeat(501)}`, 'invalid_request', 'query.search'],
    ['scope=everyone', 'invalid_request', 'query.scope'],
    ['enabled=maybe', 'invalid_request', 'query.enabled'],
    ['color=red', 'invalid_request', 'query.color'],
    ['after=nonsense', 'invalid_cursor', 'cursor'],
  ])('%s is 400 %s that names it', async (query, code, place) => {
    const { status, json } = await api.call('GET', `${path}?${query}`);
    expect([status, json]).toEqual([400, expect.objectContaining(envelope(code))]);
    expect(String(json['message'])).toContain(place);
  });
});
