import { array, assert, asyncProperty, integer } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';

let api: TestApi;
let session: string;
beforeAll(async () => {
  api = await startTestApi();
  const { json } = await api.call('POST', `${org}/sessions`, { body: { prompt: 'first' } });
  session = `${org}/sessions/${String(json['id'])}`;
});
afterAll(() => api.close());

const org = '/v3/organizations/default';

interface Page {
  ids: string[];
  cursor: string;
  more: boolean;
  total: number;
}

async function page(path: string, query: Record<string, string | number> = {}): Promise<Page> {
  const text = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  );
  const { status, json } = await api.call('GET', `${path}?${text.toString()}`);
  expect([status, Object.keys(json)]).toEqual([200, ['items', 'end_cursor', 'has_next_page', 'total']]);
  const items: unknown[] = Array.isArray(json['items']) ? json['items'] : [];
  const ids = items.map((item) => String(typeof item === 'object' && item !== null && 'id' in item ? item.id : ''));
  return {
    ids,
    cursor: String(json['end_cursor']),
    more: json['has_next_page'] === true,
    total: Number(json['total']),
  };
}

/** Reads a list to its end, and calls `between` after each page. */
async function walk(path: string, first: () => number, query: Record<string, string>, between = async () => {}) {
  const seen: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const size = first();
    const next = await page(path, { ...query, first: size, ...(cursor === undefined ? {} : { after: cursor }) });
    expect(next.ids.length).toBeLessThanOrEqual(size);
    seen.push(...next.ids);
    if (!next.more) return seen;
    expect(next.ids.length).toBe(size);
    cursor = next.cursor;
    await between();
  }
}

async function make(path: string, body: object, idField = 'id'): Promise<string> {
  const { status, json } = await api.call('POST', path, { body });
  expect([201, 202]).toContain(status);
  return String(json[idField]);
}

let serial = 0;
const lists = [
  { path: () => `${org}/service-users`, create: () => make(`${org}/service-users`, { name: 'x' }) },
  { path: () => '/agents', create: () => make('/agents', { name: 'x' }) },
  { path: () => '/v3/self/keys', create: () => make('/v3/self/keys', { name: 'x', scopes: ['run'] }) },
  { path: () => `${org}/sessions`, create: () => make(`${org}/sessions`, { prompt: 'x', tags: ['t'] }) },
  {
    path: () => `${org}/repositories`,
    create: () => make(`${org}/repositories`, { provider: 'local', repo: `paging/r${(serial += 1)}` }),
  },
];

describe.each(lists)('$path', ({ path, create }) => {
  test('walking pages of any size yields every row once, newest first, while rows are inserted', async () => {
    for (let index = 0; index < 7; index += 1) await create();
    await assert(
      asyncProperty(array(integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }), async (sizes) => {
        const before = (await page(path(), { first: 200 })).ids;
        let turn = 0;
        let inserted = 0;
        const seen = await walk(
          path(),
          () => sizes[turn++ % sizes.length] ?? 1,
          {},
          async () => {
            if (inserted++ < 2) await create();
          },
        );
        expect(seen).toEqual(before);
      }),
      { numRuns: 6 },
    );
  });

  test('newest first, 50 unless told, and total counts all', async () => {
    const all = await page(path(), { first: 200 });
    expect([...all.ids].sort().reverse()).toEqual(all.ids);
    expect([all.total, all.more]).toEqual([all.ids.length, false]);
    const one = await page(path(), { first: 1 });
    expect(one).toMatchObject({ ids: [all.ids[0]], more: true, total: all.total });
    expect((await page(path())).ids).toEqual(all.ids.slice(0, 50));
  });

  test('first is 1 to 200, and a cursor no other', async () => {
    const status = path() === '/agents' ? 422 : 400;
    for (const first of ['0', '201', '-1', '1.5', 'x', ''])
      expect((await api.call('GET', `${path()}?first=${first}`)).status).toBe(status);
    const { cursor: foreign } = await page('/v3/organizations');
    for (const after of ['x', 'bnVsbA', '%E2%82%AC', foreign]) {
      const answer = await api.call('GET', `${path()}?after=${after}`);
      expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_cursor']);
    }
  });
});

describe('what is oldest first', () => {
  test('messages and events, while they are appended', async () => {
    for (const kind of ['messages', 'events']) {
      for (let index = 0; index < 5; index += 1) await make(`${session}/messages`, { content: 'x' });
      const before = (await page(`${session}/${kind}`, { first: 200 })).ids;
      let appended = 0;
      const append = async () => {
        if (appended++ < 3) await make(`${session}/messages`, { content: 'x' });
      };
      const seen = await walk(`${session}/${kind}`, () => 2, {}, append);
      // Items that were added during the walk come at the end, complete and once.
      expect(seen.slice(0, before.length)).toEqual(before);
      expect(seen).toEqual((await page(`${session}/${kind}`, { first: 200 })).ids.slice(0, seen.length));
      expect(seen.length).toBeGreaterThanOrEqual(before.length + 3);
    }
  });

  test('events behind after_seq have a total and cursors of their own', async () => {
    const all = await page(`${session}/events`, { first: 200 });
    const behind = await page(`${session}/events`, { first: 2, after_seq: 3 });
    expect(behind).toMatchObject({ ids: all.ids.slice(3, 5), total: all.total - 3, more: true });
    const rest = await page(`${session}/events`, { first: 200, after_seq: 3, after: behind.cursor });
    expect(rest.ids).toEqual(all.ids.slice(5));
    const mixed = await api.call('GET', `${session}/events?after_seq=4&after=${behind.cursor}`);
    expect([mixed.status, mixed.json['error']]).toEqual([400, 'invalid_cursor']);
  });
});

test('a cursor belongs to its filters, its list and its organization', async () => {
  const { cursor } = await page(`${org}/sessions`, { first: 1, tag: 't' });
  expect((await page(`${org}/sessions`, { first: 1, tag: 't', after: cursor })).ids).toHaveLength(1);
  const other = await api.createOrganization('Elsewhere');
  for (const [path, key] of [
    [`${org}/sessions?after=${cursor}`, api.adminKey],
    [`${org}/sessions?tag=u&after=${cursor}`, api.adminKey],
    [`${org}/sessions?tag=t&archived=any&after=${cursor}`, api.adminKey],
    [`${org}/repositories?after=${cursor}`, api.adminKey],
    [`${session}/messages?after=${cursor}`, api.adminKey],
    [`/v3/organizations/${other.slug}/sessions?tag=t&after=${cursor}`, other.key],
  ] as const) {
    const answer = await api.call('GET', path, { key });
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_cursor']);
  }
});

test.each(['messages', 'events', 'sessions'])('a page of large %s ends early, and the rest follows', async (kind) => {
  const path = kind === 'sessions' ? `${org}/sessions` : `${session}/${kind}`;
  const large = 'x'.repeat(100_000);
  for (let index = 0; index < 14; index += 1)
    await (kind === 'sessions' ? make(path, { prompt: large }) : make(`${session}/messages`, { content: large }));
  const seen: string[] = [];
  let [cursor, total, pages] = ['', 1, 0];
  while (seen.length < total) {
    const next = await page(path, { first: 200, after: cursor });
    expect(next.ids.length).toBeGreaterThan(0);
    seen.push(...next.ids);
    [cursor, total, pages] = [next.cursor, next.total, pages + 1];
    expect(next.more).toBe(seen.length < total);
  }
  expect([new Set(seen).size, pages > 1]).toEqual([total, true]);
});

test('an empty page has no cursor', async () => {
  const { json } = await api.call('GET', `${org}/sessions?tag=never`);
  expect(json).toEqual({ items: [], end_cursor: '', has_next_page: false, total: 0 });
});

test('total is exact up to 10,000 and never smaller above', async () => {
  const { rows } = await api.ctx.db.pool.query<{ org_id: string }>(`select org_id from sessions limit 1`);
  const fill = (count: number) =>
    api.ctx.db.pool.query(
      `insert into sessions (id, org_id, prompt, agent_id, agent_version, created_by_type, created_by_id, tags)
       select 'ses_' || lpad(n::text, 26, '0'), $1, 'x', (select id from agents limit 1), 1, 'system', '', '{many}'
       from generate_series((select count(*) from sessions) + 1, (select count(*) from sessions) + $2) n`,
      [rows[0]?.org_id, count],
    );
  await fill(9_999);
  expect((await page(`${org}/sessions`, { tag: 'many' })).total).toBe(9_999);
  await fill(1);
  expect((await page(`${org}/sessions`, { tag: 'many' })).total).toBe(10_000);
  await fill(2_000);
  expect((await page(`${org}/sessions`, { tag: 'many' })).total).toBeGreaterThanOrEqual(10_000);
  expect((await page(`${org}/sessions`)).total).toBeGreaterThanOrEqual(12_000);
});
