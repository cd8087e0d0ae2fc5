import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { linkAll } from './chain.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Entry extends Record<string, unknown> {
  id: string;
  seq: number;
  prev_hash: string;
  hash: string;
}

async function organization(): Promise<{ id: string; key: string; logs: string }> {
  const { id, key, slug } = await api.createOrganization('Audited');
  return { id, key, logs: `/v3/organizations/${slug}/audit-logs` };
}

async function entries(path: string, key: string, query = ''): Promise<Entry[]> {
  const { status, json } = await api.call('GET', `${path}${query}`, { key });
  expect([status, json['error']]).toEqual([200, undefined]);
  const { items } = json;
  return Array.isArray(items) ? items : [];
}

/** Creates service users, each with one audit log entry. */
async function act(key: string, logs: string, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const path = logs.replace('/audit-logs', '/service-users');
    ids.push(String((await api.call('POST', path, { key, body: { name } })).json['id']));
  }
  return ids;
}

/** Formats an entry by RFC 8785, independently of the server's code. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const sorted = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

function hashOf(entry: Entry): string {
  return hash('sha256', canonical(Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'hash'))));
}

describe('an entry', () => {
  test('says who did what to what, from where, and when', async () => {
    const { key, logs } = await organization();
    const path = logs.replace('/audit-logs', '/service-users');
    const made = await api.call('POST', path, { key, body: { name: 'deploy' }, headers: { 'user-agent': 'test/1' } });
    const [entry] = await entries(logs, key, '?action=service_user.create');
    const fields = 'id seq action actor resource outcome ip user_agent request_id changes created_at prev_hash hash';
    expect(Object.keys(entry ?? {})).toEqual(fields.split(' '));
    const self = (await api.call('GET', '/v3/self', { key })).json;
    expect(entry).toMatchObject({
      id: expect.stringMatching(/^aud_/),
      action: 'service_user.create',
      actor: { type: 'user', id: self['principal_id'], display: 'admin@localhost' },
      resource: { type: 'service_user', id: made.json['id'] },
      outcome: 'success',
      ip: '127.0.0.1',
      user_agent: 'test/1',
      request_id: made.headers.get('x-request-id'),
      changes: { name: 'deploy' },
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    const one = await api.call('GET', `${logs}/${entry?.id}`, { key });
    expect(one.json).toMatchObject({ id: entry?.id, action: 'service_user.create' });
  });

  test('of another organization, or that nobody wrote, is 404', async () => {
    const mine = await organization();
    const theirs = await organization();
    const [foreign] = await entries(theirs.logs, theirs.key);
    for (const id of [foreign?.id, 'aud_none']) {
      const { status, json } = await api.call('GET', `${mine.logs}/${id}`, { key: mine.key });
      expect([status, json['error']]).toEqual([404, 'audit_entry_not_found']);
    }
    expect((await entries(mine.logs, mine.key)).some(({ id }) => id === foreign?.id)).toBe(false);
  });

  test('takes org:read, in every form it is read in', async () => {
    const key = await api.keyWith(['run', 'sessions:read', 'org:write']);
    for (const tail of ['', '/actions', '/export', '/verify', '/aud_none']) {
      const { status, json } = await api.call('GET', `/v3/organizations/default/audit-logs${tail}`, { key });
      expect([tail, status, json['error']]).toEqual([tail, 403, 'forbidden']);
      expect(json['message']).toContain('org:read');
    }
  });
});

describe('the list', () => {
  test('filters by everything an entry is known by, and filters combine', async () => {
    const { key, logs } = await organization();
    const [one = '', other = ''] = await act(key, logs, ['a', 'b']);
    await api.call('PATCH', `${logs.replace('/audit-logs', '/service-users')}/${one}`, { key, body: { name: 'c' } });
    const actions = async (query: string) => (await entries(logs, key, query)).map(({ action }) => action);
    expect(await actions('')).toEqual([
      'service_user.update',
      'service_user.create',
      'service_user.create',
      'organization.create',
    ]);
    expect(await actions('?order=asc&first=2')).toEqual(['organization.create', 'service_user.create']);
    expect(await actions('?action=service_user.update,organization.create')).toHaveLength(2);
    expect(await actions(`?resource_id=${one}`)).toEqual(['service_user.update', 'service_user.create']);
    expect(await actions(`?resource_id=${one},${other}&action=service_user.create`)).toHaveLength(2);
    expect(await actions('?resource_type=organization')).toEqual(['organization.create']);
    expect(await actions('?outcome=denied,error')).toEqual([]);
    expect(await actions('?actor_id=usr_nobody')).toEqual([]);
    const all = await entries(logs, key, '?order=asc');
    const middle = String(all[1]?.['created_at']);
    expect(await actions(`?created_before=${middle}`)).toEqual(['organization.create']);
    expect(await actions(`?created_after=${middle}`)).toHaveLength(2);
  });

  test('pages through everything once, both ways, and its cursors are its own', async () => {
    const { key, logs } = await organization();
    await act(key, logs, ['a', 'b', 'c', 'd', 'e']);
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      let after = '';
      for (;;) {
        const { json } = await api.call('GET', `${logs}?first=2&order=${order}${after}`, { key });
        expect(json['total']).toBe(6);
        for (const { id } of Object(json['items'])) seen.push(id);
        after = `&after=${String(json['end_cursor'])}`;
        if (json['has_next_page'] !== true) break;
      }
      const sorted = seen.toSorted();
      expect(seen).toEqual(order === 'asc' ? sorted : sorted.toReversed());
      expect(new Set(seen).size).toBe(6);
      const wrong = await api.call('GET', `${logs}?order=${order === 'asc' ? 'desc' : 'asc'}${after}`, { key });
      expect([wrong.status, wrong.json['error']]).toEqual([400, 'invalid_cursor']);
    }
  });

  test.each([
    '?outcome=maybe',
    '?order=up',
    '?created_after=yesterday',
    '?created_before=2026-13-01T00:00:00Z',
    '?action=',
    '?first=0',
    '?first=201',
    '?unknown=1',
    `?actor_id=${'x'.repeat(1_001)}`,
  ])('%s is 400', async (query) => {
    const { status, json } = await api.call('GET', `/v3/organizations/default/audit-logs${query}`);
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
  });
});

describe('the chain', () => {
  test('links every entry within a second, and anybody can recompute it from the list', async () => {
    const { key, logs } = await organization();
    await act(key, logs, ['a', 'ü "quoted" \\ \n 😀', 'c']);
    const committed = Date.now();
    let all = await entries(logs, key, '?order=asc');
    while (all.some(({ seq }) => seq === 0)) {
      expect(Date.now() - committed).toBeLessThan(5_000);
      all = await entries(logs, key, '?order=asc');
    }
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(all.map(({ prev_hash }) => prev_hash)).toEqual(['', ...all.slice(0, -1).map((entry) => entry.hash)]);
    for (const entry of all) expect(entry.hash).toBe(hashOf(entry));
  });

  test('never skips an entry whose transaction committed late, nor waits for it', async () => {
    const { id, key, logs } = await organization();
    const late = await api.ctx.db.pool.connect();
    await late.query('begin');
    await late.query(
      `insert into audit_entries (id, org_id, action, actor_type, actor_id, actor_display, resource_type, resource_id,
         outcome, ip, user_agent, request_id)
       values ('aud_0', $1, 'late', 'system', '', '', 'x', '', 'success', '', '', '')`,
      [id],
    );
    await act(key, logs, ['a']);
    await linkAll(api.ctx);
    expect((await api.call('GET', `${logs}/verify`, { key })).json).toMatchObject({
      valid: true,
      checked: 2,
      pending: 0,
    });
    await late.query('commit');
    late.release();
    await linkAll(api.ctx);
    const { rows } = await api.ctx.db.pool.query('select seq from audit_chain where entry_id = $1', ['aud_0']);
    expect(rows).toEqual([{ seq: 3 }]);
    expect((await api.call('GET', `${logs}/verify`, { key })).json).toMatchObject({ valid: true, checked: 3 });
  });

  test('is one chain without gaps when many processes write and link at once', async () => {
    const { key, logs } = await organization();
    const others = await Promise.all([api.another(), api.another()]);
    try {
      const path = logs.replace('/audit-logs', '/service-users');
      const work = Array.from({ length: 120 }, (_, n) => n);
      await Promise.all(
        [api, ...others].map(async (one, at) => {
          for (const n of work.filter((number) => number % 3 === at)) {
            const { status } = await one.call('POST', path, { key, body: { name: `n${n}` } });
            expect(status).toBe(201);
            await linkAll(one.ctx);
          }
        }),
      );
      const { json } = await api.call('GET', `${logs}/verify`, { key });
      expect(json).toEqual({ valid: true, checked: 121, pending: 0, first_break: null });
    } finally {
      for (const other of others) await other.close();
    }
  });
});

test('the export is the chain: every line can be checked without this program', async () => {
  const { key, logs } = await organization();
  await act(
    key,
    logs,
    Array.from({ length: 25 }, (_, n) => `n${n}`),
  );
  const { status, headers, text } = await api.call('GET', `${logs}/export`, { key });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const lines = text.trimEnd().split('\n');
  const exported: Entry[] = lines.map((line) => JSON.parse(line));
  expect(exported.map(({ seq }) => seq)).toEqual(Array.from({ length: 26 }, (_, n) => n + 1));
  let previous = '';
  for (const [at, entry] of exported.entries()) {
    expect(lines[at]).toBe(canonical(entry));
    expect([entry.prev_hash, entry.hash]).toEqual([previous, hashOf(entry)]);
    previous = entry.hash;
  }
  expect(exported.toReversed()).toEqual(await entries(logs, key));
  const some = await api.call('GET', `${logs}/export?action=organization.create`, { key });
  expect(some.text).toBe(`${lines[0]}\n`);
  expect((await api.call('GET', `${logs}/export?action=nothing`, { key })).text).toBe('');
});
