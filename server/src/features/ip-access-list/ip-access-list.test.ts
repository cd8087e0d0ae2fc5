import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';

const path = '/v3/organizations/default/ip-access-list';
const local = { cidr: '127.0.0.0/8' };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterEach(async () => {
  await replace({ enabled: false, entries: [] });
});
afterAll(() => api.close());

function replace(body: object): Promise<Answer> {
  return api.call('PUT', path, { body });
}

function add(body: object): Promise<Answer> {
  return api.call('POST', `${path}/entries`, { body });
}

async function list(): Promise<{ id: string; cidr: string; note: string }[]> {
  const { entries } = (await api.call('GET', path)).json;
  return Array.isArray(entries) ? entries : [];
}

function refusal({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

/** Returns the audit log entries of the list, oldest first. */
async function trail(): Promise<{ action: string; resource_id: string; changes: object }[]> {
  const { rows } = await api.ctx.db.pool.query(
    "select action, resource_id, changes from audit_entries where action like 'ip_access_list.%' order by id",
  );
  return rows;
}

describe('replacing the list', () => {
  test('puts entries into canonical form and keeps their order, and the id of what stays', async () => {
    expect((await api.call('GET', path)).json).toEqual({ enabled: false, entries: [] });
    const entries = [
      { cidr: '10.1.2.3/8', note: 'office' },
      { cidr: '::ffff:192.0.2.7' },
      { cidr: '2001:DB8:0::1/32' },
    ];
    const { status, json } = await replace({ enabled: false, entries });
    expect(status).toBe(200);
    const shape = { id: expect.stringMatching(/^ipe_/), created_at: expect.stringMatching(/Z$/) };
    expect(json).toEqual({
      enabled: false,
      entries: [
        { ...shape, cidr: '10.0.0.0/8', note: 'office' },
        { ...shape, cidr: '192.0.2.7/32', note: '' },
        { ...shape, cidr: '2001:db8::/32', note: '' },
      ],
    });
    expect((await api.call('GET', path)).json).toEqual(json);
    const [, second, third] = await list();
    await replace({ enabled: false, entries: [{ cidr: '2001:db8::/32', note: 'new' }, local, { cidr: '192.0.2.7' }] });
    expect(await list()).toMatchObject([{ id: third?.id, note: 'new' }, { cidr: '127.0.0.0/8' }, { id: second?.id }]);
  });

  test.each([
    ['a range that is none', { enabled: false, entries: [local, { cidr: '10.0.0.0/33' }] }],
    ['a host name', { enabled: false, entries: [{ cidr: 'localhost' }] }],
    ['a zone', { enabled: false, entries: [{ cidr: 'fe80::1%eth0' }] }],
    ['a repetition', { enabled: false, entries: [{ cidr: '10.0.0.0/8' }, { cidr: '::ffff:10.9.9.9/104' }] }],
    ['an entry without a range', { enabled: false, entries: [{ note: 'x' }] }],
    ['201 entries', { enabled: false, entries: numbered(201) }],
    ['an unknown key', { enabled: false, entries: [], more: 1 }],
    ['no entries', { enabled: false }],
    ['a string for enabled', { enabled: 'false', entries: [] }],
  ])('refuses %s with 400 and changes nothing', async (_name, body) => {
    await replace({ enabled: false, entries: [local] });
    const before = await list();
    expect(refusal(await replace(body))).toEqual([400, 'invalid_request']);
    expect(await list()).toEqual(before);
  });

  test('names the entry that is wrong', async () => {
    const { json } = await replace({ enabled: false, entries: [local, { cidr: '10.0.0.0/33' }] });
    expect(json['message']).toBe('body.entries.1.cidr "10.0.0.0/33" must be a CIDR range.');
  });

  test('takes 200 entries, and not one more afterwards', async () => {
    expect((await replace({ enabled: false, entries: numbered(200) })).status).toBe(200);
    expect((await list()).map(({ cidr }) => cidr)).toEqual(numbered(200).map(({ cidr }) => `${cidr}/32`));
    expect(refusal(await add({ cidr: '192.0.2.1' }))).toEqual([409, 'conflict']);
  });

  test('is refused where it would lock the caller out, unless forced', async () => {
    const elsewhere = { enabled: true, entries: [{ cidr: '192.0.2.0/24' }] };
    expect(refusal(await replace(elsewhere))).toEqual([409, 'would_lock_out']);
    expect(refusal(await replace({ enabled: true, entries: [] }))).toEqual([409, 'would_lock_out']);
    expect((await api.call('GET', path)).json).toEqual({ enabled: false, entries: [] });
    expect((await replace({ enabled: true, entries: [local] })).status).toBe(200);
    expect(refusal(await replace(elsewhere))).toEqual([409, 'would_lock_out']);
    expect(await list()).toMatchObject([local]);
  });
});

describe('single entries', () => {
  test('are added at the end and removed', async () => {
    await replace({ enabled: true, entries: [local] });
    const first = await add({ cidr: '192.0.2.9/24', note: 'lab' });
    expect([first.status, first.json]).toEqual([
      201,
      { id: expect.stringMatching(/^ipe_/), cidr: '192.0.2.0/24', note: 'lab', created_at: expect.any(String) },
    ]);
    await add({ cidr: '10.0.0.0/8' });
    expect((await list()).map(({ cidr }) => cidr)).toEqual(['127.0.0.0/8', '192.0.2.0/24', '10.0.0.0/8']);
    const removed = await api.call('DELETE', `${path}/entries/${String(first.json['id'])}`);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect((await list()).map(({ cidr }) => cidr)).toEqual(['127.0.0.0/8', '10.0.0.0/8']);
    const again = await api.call('DELETE', `${path}/entries/${String(first.json['id'])}`);
    expect(refusal(again)).toEqual([404, 'ip_entry_not_found']);
  });

  test('are refused when invalid (400) or there already in another spelling (409)', async () => {
    for (const body of [{ cidr: '10.0.0/8' }, { cidr: '' }, {}, { cidr: '10.0.0.0/8', note: 'x'.repeat(501) }])
      expect(refusal(await add(body))).toEqual([400, 'invalid_request']);
    await add({ cidr: '10.0.0.0/8' });
    expect(refusal(await add({ cidr: '::ffff:10.2.3.4/104' }))).toEqual([409, 'conflict']);
  });

  test('of which one holds the caller cannot be removed while the list is enabled', async () => {
    await replace({ enabled: true, entries: [local, { cidr: '10.0.0.0/8' }] });
    const [own] = await list();
    const answer = await api.call('DELETE', `${path}/entries/${own?.id}`);
    expect(refusal(answer)).toEqual([409, 'would_lock_out']);
    await replace({ enabled: false, entries: [local] });
    expect((await api.call('DELETE', `${path}/entries/${own?.id}`)).status).toBe(204);
  });

  test('added by 12 callers at once are there once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => add({ cidr: '10.0.0.0/8' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
    expect(await list()).toHaveLength(1);
  });
});

describe('checking an address', () => {
  const check = (ip: string) => api.call('GET', `${path}/check?ip=${encodeURIComponent(ip)}`);

  test.each([
    ['10.1.2.3', { ip: '10.1.2.3', allowed: true, matched: '10.1.0.0/16' }],
    ['10.2.2.3', { ip: '10.2.2.3', allowed: true, matched: '10.0.0.0/8' }],
    ['::ffff:10.1.2.3', { ip: '10.1.2.3', allowed: true, matched: '10.1.0.0/16' }],
    ['2001:DB8::5', { ip: '2001:db8::5', allowed: true, matched: '2001:db8::/32' }],
    ['11.0.0.1', { ip: '11.0.0.1', allowed: false, matched: '' }],
  ])('%s', async (ip, expected) => {
    const entries = [local, { cidr: '10.0.0.0/8' }, { cidr: '10.1.0.0/16' }, { cidr: '2001:db8::/32' }];
    await replace({ enabled: true, entries });
    const answer = await check(ip);
    expect([answer.status, answer.json]).toEqual([200, expected]);
    await replace({ enabled: false, entries });
    expect((await check(ip)).json).toEqual({ ...expected, allowed: true });
  });

  test('checks your own address by default', async () => {
    await replace({ enabled: true, entries: [local] });
    const { status, json } = await api.call('GET', `${path}/check`);
    expect([status, json]).toEqual([200, { ip: '127.0.0.1', allowed: true, matched: '127.0.0.0/8' }]);
  });

  test('refuses an invalid address', async () => {
    for (const ip of ['', 'localhost', '10.0.0.0/8', 'fe80::1%eth0', '1'.repeat(65)])
      expect(refusal(await check(ip))).toEqual([400, 'invalid_request']);
  });
});

test('each operation wants its scope', async () => {
  const [reader, writer] = [await api.keyWith(['org:read']), await api.keyWith(['org:write'])];
  const reads = [path, `${path}/check?ip=10.0.0.1`];
  for (const url of reads) {
    expect((await api.call('GET', url, { key: reader })).status).toBe(200);
    expect(refusal(await api.call('GET', url, { key: writer }))).toEqual([403, 'forbidden']);
  }
  const writes = [
    ['PUT', path, { enabled: false, entries: [] }, 200],
    ['POST', `${path}/entries`, { cidr: '10.0.0.0/8' }, 201],
    ['DELETE', `${path}/entries/ipe_none`, undefined, 404],
  ] as const;
  for (const [method, url, body, status] of writes) {
    expect(refusal(await api.call(method, url, { key: reader, body }))).toEqual([403, 'forbidden']);
    expect((await api.call(method, url, { key: writer, body })).status).toBe(status);
  }
});

test('another organization sees and changes its own list only', async () => {
  const { id, key } = await api.createOrganization('Elsewhere');
  await replace({ enabled: false, entries: [local] });
  const [mine] = await list();
  const theirs = `/v3/organizations/${id}/ip-access-list`;
  expect((await api.call('GET', theirs, { key })).json).toEqual({ enabled: false, entries: [] });
  expect(refusal(await api.call('DELETE', `${theirs}/entries/${mine?.id}`, { key }))).toEqual([
    404,
    'ip_entry_not_found',
  ]);
  for (const [method, url] of [
    ['GET', path],
    ['GET', `${path}/check?ip=10.0.0.1`],
    ['DELETE', `${path}/entries/${mine?.id}`],
  ] as const)
    expect(refusal(await api.call(method, url, { key }))).toEqual([404, 'organization_not_found']);
  expect((await api.call('PUT', theirs, { key, body: { enabled: false, entries: [local] } })).status).toBe(200);
  expect(await list()).toEqual([mine]);
});

test('every change is in the audit trail once, and a refused one is not', async () => {
  const before = (await trail()).length;
  await replace({ enabled: true, entries: [local] });
  const { json } = await add({ cidr: '10.0.0.0/8' });
  const entryId = String(json['id']);
  await api.call('DELETE', `${path}/entries/${entryId}`);
  await replace({ enabled: true, entries: [] });
  expect((await trail()).slice(before)).toMatchObject([
    { action: 'ip_access_list.replace', changes: { enabled: true, force: false, cidrs: ['127.0.0.0/8'] } },
    { action: 'ip_access_list.add', resource_id: entryId, changes: { cidr: '10.0.0.0/8' } },
    { action: 'ip_access_list.remove', resource_id: entryId, changes: { cidr: '10.0.0.0/8' } },
  ]);
  expect(await trail()).toHaveLength(before + 3);
});

function numbered(count: number): { cidr: string }[] {
  return Array.from({ length: count }, (_, at) => ({ cidr: `10.0.${at >> 8}.${at & 255}` }));
}
