import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../src/lib/scopes.ts';
import { startTestApi, type Answer, type TestApi } from '../support/api.ts';

const path = '/v3/organizations/default/mcp-servers';
const count = 123;

let api: TestApi;
let orgId: string;
let elsewhere: { id: string; slug: string; key: string };
/** Newest first. */
let ids: string[];
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  elsewhere = await api.createOrganization('Elsewhere');
  for (let at = 0; at < count - 3; at++)
    await create({ name: `Server ${at}`, url: `https://tools-${at}.example.com/mcp`, enabled: at % 2 === 0 });
  await api.ctx.db.pool.query(
    `insert into mcp_servers (id, org_id, slug, name, source, url, access, enabled)
     select 'mcp_0000000000000000000000000' || n, org_id, 'older-' || n, 'Older', 'catalog', url, access, true
     from mcp_servers, generate_series(1, 3) n where slug = 'server-0'`,
  );
  const { rows } = await api.ctx.db.pool.query<{ id: string }>('select id from mcp_servers order by id desc');
  ids = rows.map(({ id }) => id);
}, 60_000);
afterAll(() => api.close());

async function create(body: object, key = api.adminKey, organization = 'default'): Promise<Answer> {
  const answer = await api.call('POST', `/v3/organizations/${organization}/mcp-servers`, { key, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer;
}

function list(query = '', key = api.adminKey): Promise<Answer> {
  return api.call('GET', `${path}${query}`, { key });
}

function items({ json }: Answer): Record<string, unknown>[] {
  return Array.isArray(json['items']) ? json['items'].map((item): Record<string, unknown> => Object(item)) : [];
}

/** The error envelope (section 2): both are strings; the contract adds the request id. */
function envelope(error: string): object {
  return { error, message: expect.stringMatching(/\S/), request_id: expect.stringMatching(/^req_/) };
}

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('source 4.5, list tool servers: method, path and scope', () => {
  test('GET /v3/organizations/{orgId}/mcp-servers takes plugins:read, and that alone suffices', async () => {
    expect((await list('', await api.keyWith(['plugins:read']))).status).toBe(200);
    for (const scope of scopes.filter((other) => other !== 'plugins:read')) {
      const { status, json } = await list('', await api.keyWith([scope]));
      expect([scope, status, json]).toEqual([scope, 403, envelope('forbidden')]);
      expect(json['message']).toContain('plugins:read');
    }
  });

  test('{orgId} is the id or the slug', async () => {
    for (const organization of [orgId, 'default'])
      expect((await api.call('GET', `/v3/organizations/${organization}/mcp-servers`)).status).toBe(200);
  });

  test('without a key it is 401, of another organization 404', async () => {
    const nobody = await list('', '');
    expect([nobody.status, nobody.json]).toEqual([401, envelope('unauthorized')]);
    for (const [organization, key] of [
      [elsewhere.slug, api.adminKey],
      ['default', elsewhere.key],
      ['org_none', api.adminKey],
    ]) {
      const foreign = await api.call('GET', `/v3/organizations/${organization}/mcp-servers`, { key: key ?? '' });
      expect([foreign.status, foreign.json]).toEqual([404, envelope('organization_not_found')]);
    }
  });

  test('an organization sees its own alone', async () => {
    const own = await create({ name: 'Theirs', command: 'theirs' }, elsewhere.key, elsewhere.slug);
    const theirs = await api.call('GET', `/v3/organizations/${elsewhere.slug}/mcp-servers`, { key: elsewhere.key });
    // Fields that only the server's own resource has.
    const { repos: _repos, ...record } = own.json;
    expect(theirs.json).toEqual({ items: [record], end_cursor: expect.any(String), has_next_page: false, total: 1 });
  });
});

describe('source 4.5: response body', () => {
  test('items, end_cursor, has_next_page and total, and nothing else', async () => {
    const { status, headers, json } = await list();
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toEqual({
      items: expect.any(Array),
      end_cursor: expect.stringMatching(/\S/),
      has_next_page: true,
      total: count,
    });
  });

  test('every item is a tool server record of section 2: every field with its type, and no other', async () => {
    const { json: byUrl } = await create({
      name: 'By URL',
      icon: '🔧',
      description: 'What it does',
      url: 'https://tools.example.com/mcp?team=core',
      headers: { Authorization: 'Bearer ${TOKEN}', 'x-team': 'core' },
      access: 'on_request',
      enabled: false,
    });
    const { json: byCommand } = await create({
      name: 'By command',
      command: 'npx',
      args: ['-y', '@acme/tools'],
      env: { ACME_TOKEN: '${TOKEN}', ACME_REGION: 'eu' },
    });
    const set = await api.call('PUT', `${path}/${String(byCommand['id'])}/secrets/TOKEN`, {
      body: { value: 'the-value-that-is-never-shown' },
    });
    expect(set.status).toBe(200);
    const answer = await list('?first=2');
    expect(items(answer)).toEqual([
      {
        id: byCommand['id'],
        slug: 'by-command',
        name: 'By command',
        icon: '',
        description: '',
        source: 'custom',
        url: '',
        command: 'npx',
        args: ['-y', '@acme/tools'],
        env: { ACME_TOKEN: '${TOKEN}', ACME_REGION: 'eu' },
        headers: {},
        secret_names: ['TOKEN'],
        access: 'organization',
        enabled: true,
        created_at: instant,
        updated_at: instant,
      },
      {
        id: byUrl['id'],
        slug: 'by-url',
        name: 'By URL',
        icon: '🔧',
        description: 'What it does',
        source: 'custom',
        url: 'https://tools.example.com/mcp?team=core',
        command: '',
        args: [],
        env: {},
        headers: { Authorization: 'Bearer ${TOKEN}', 'x-team': 'core' },
        secret_names: [],
        access: 'on_request',
        enabled: false,
        created_at: instant,
        updated_at: instant,
      },
    ]);
    expect(answer.text).not.toContain('the-value-that-is-never-shown');
    for (const { id } of [byUrl, byCommand]) await api.call('DELETE', `${path}/${String(id)}`);
  });

  test('an empty list has no cursor', async () => {
    const { slug, key } = await api.createOrganization('Empty');
    const { json } = await api.call('GET', `/v3/organizations/${slug}/mcp-servers`, { key });
    expect(json).toEqual({ items: [], end_cursor: '', has_next_page: false, total: 0 });
  });
});

describe('source 4.5: pagination is cursor-based', () => {
  test('50 on a page unless told, newest first', async () => {
    expect(items(await list()).map(({ id }) => id)).toEqual(ids.slice(0, 50));
  });

  test.each([3, 70, 123, 200])('pages of %i have everything, once', async (first) => {
    const seen: unknown[] = [];
    for (let after = ''; ;) {
      const answer = await list(`?first=${first}${after === '' ? '' : `&after=${after}`}`);
      seen.push(...items(answer).map(({ id }) => id));
      expect(answer.json['total']).toBe(count);
      expect(items(answer)).toHaveLength(Math.min(first, count - (seen.length - items(answer).length)));
      if (answer.json['has_next_page'] !== true) break;
      after = String(answer.json['end_cursor']);
    }
    expect(seen).toEqual(ids);
  });

  test.each(['0', '201', '-1', '1.5', 'ten', ''])('first=%s is 400', async (first) => {
    const { status, json } = await list(`?first=${first}`);
    expect([status, json]).toEqual([400, expect.objectContaining(envelope('invalid_request'))]);
    expect(json['message']).toContain('first');
  });

  test("a cursor that is none, of another filter, and another list's is 400 invalid_cursor", async () => {
    const { json } = await list('?first=1&enabled=true');
    const cursor = String(json['end_cursor']);
    expect((await list(`?first=1&enabled=true&after=${cursor}`)).status).toBe(200);
    for (const query of ['?after=none', `?after=${cursor}`, `?enabled=false&after=${cursor}`]) {
      const refused = await list(query);
      expect([query, refused.status, refused.json]).toEqual([
        query,
        400,
        expect.objectContaining(envelope('invalid_cursor')),
      ]);
      expect(Object(refused.json['details']).issues).toMatchObject([{ in: 'query', path: ['after'] }]);
    }
    const other = await api.call('GET', `/v3/organizations/default/secrets?after=${cursor}`);
    expect(other.json['error']).toBe('invalid_cursor');
  });

  test('a server that comes while pages are read does not shift them', async () => {
    const first = await list('?first=2');
    const { json } = await create({ name: 'Meanwhile', command: 'x' });
    const second = await list(`?first=2&after=${String(first.json['end_cursor'])}`);
    expect(items(second).map(({ id }) => id)).toEqual(ids.slice(2, 4));
    await api.call('DELETE', `${path}/${String(json['id'])}`);
  });
});

describe('the filters', () => {
  test('enabled takes true, false or both', async () => {
    for (const [query, expected] of [
      ['?enabled=true', ['true']],
      ['?enabled=false', ['false']],
      ['?enabled=true,false', ['false', 'true']],
    ] as const) {
      const answer = await list(`${query}&first=200`);
      expect([query, [...new Set(items(answer).map(({ enabled }) => String(enabled)))].sort()]).toEqual([
        query,
        expected,
      ]);
    }
    const { status, json } = await list('?enabled=maybe');
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
  });

  test.each<[string, number]>([
    ['search=SERVER%2011', 11],
    ['search=server-42', 1],
    ['search=nothing-like-it', 0],
    ['search=%25', 0],
    ['search=server_1', 0],
    ['search=server%2011&enabled=true', 5],
  ])('%s finds %i', async (query, total) => {
    expect((await list(`?${query}`)).json['total']).toBe(total);
  });

  test('an unknown parameter is 400 that names it', async () => {
    const { status, json } = await list('?colour=red');
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(json['message']).toContain('colour');
  });
});
