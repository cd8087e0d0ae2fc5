import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { closeMinutes } from './refusals.ts';
import { linkAll } from './chain.ts';

let api: TestApi;
let other: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  other = await api.another();
});
afterAll(async () => {
  await other.close();
  await api.close();
});

const logs = '/v3/organizations/default/audit-logs';

interface Refused {
  id: string;
  seq: number;
  action: string;
  resource: { id: string };
  changes: { count: number; codes: Record<string, number>; request: string; last_at: string };
}

async function machine(scopes: string[]): Promise<{ key: string; id: string; owner: string }> {
  const user = await api.call('POST', '/v3/organizations/default/service-users', { body: { name: 'refused' } });
  const path = `/v3/organizations/default/service-users/${String(user.json['id'])}/keys`;
  const { json } = await api.call('POST', path, { body: { name: 'k', scopes } });
  return { key: String(json['key']), id: String(json['id']), owner: path };
}

async function refusals(keyId: string): Promise<Refused[]> {
  const { json } = await api.call('GET', `${logs}?outcome=denied&resource_id=${keyId}&order=asc`);
  const { items } = json;
  return Array.isArray(items) ? items : [];
}

/** Waits, for a limited time, until refusals are recorded. */
async function counted(keyId: string, count: number): Promise<Refused[]> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const found = await refusals(keyId);
    if (found.reduce((sum, { changes }) => sum + changes.count, 0) >= count) return found;
    if (Date.now() > deadline) throw new Error(`${JSON.stringify(found)} are not ${count}`);
  }
}

/** Turns counts into entries, as happens when the minute is over. */
async function minuteLater(): Promise<void> {
  const soon = new Date(Date.now() + 120_000);
  await closeMinutes({ db: api.ctx.db, clock: { now: () => soon } });
  await linkAll(api.ctx);
}

describe('what a key may not do', () => {
  test('is on record within seconds, counted over processes, and one linked entry when its minute is over', async () => {
    const { key, id } = await machine(['run']);
    for (const process of [api, other])
      for (let n = 0; n < 5; n += 1) expect((await process.call('GET', logs, { key })).status).toBe(403);
    const open = await counted(id, 10);
    const { rows } = await api.ctx.db.pool.query<{ n: number }>(
      'select count(distinct minute)::int as n from audit_refusals where key_id = $1',
      [id],
    );
    expect(open).toHaveLength(rows[0]?.n ?? 0);
    expect(open[0]).toMatchObject({
      seq: 0,
      hash: '',
      action: 'request.refuse',
      outcome: 'denied',
      actor: { type: 'service_user', display: 'refused' },
      resource: { type: 'key', id },
      ip: '127.0.0.1',
      changes: { codes: { forbidden: expect.any(Number) }, request: 'GET /v3/organizations/:orgId/audit-logs' },
    });
    const one = await api.call('GET', `${logs}/${open[0]?.id}`);
    expect(one.json).toMatchObject({ id: open[0]?.id, outcome: 'denied' });

    await minuteLater();
    const closed = await refusals(id);
    expect(closed.map((entry) => entry.id)).toEqual(open.map((entry) => entry.id));
    expect(closed.map(({ changes }) => changes)).toEqual(open.map(({ changes }) => changes));
    for (const { seq } of closed) expect(seq).toBeGreaterThan(0);
    expect((await api.call('GET', `${logs}/verify`)).json).toMatchObject({ valid: true });
  });

  test('counts each code by itself: a revoked key, an expired one, an address, a scope of a service', async () => {
    const { key, id, owner } = await machine(['org:write', 'org:read']);
    const path = '/v3/organizations/default/service-users';
    const user = await api.call('POST', path, { key, body: { name: 'x' } });
    const wider = { name: 'x', scopes: ['run'] };
    const refused = await api.call('POST', `${path}/${String(user.json['id'])}/keys`, { key, body: wider });
    expect([refused.status, refused.json['error']]).toEqual([403, 'forbidden']);
    await counted(id, 1);
    await api.call('DELETE', `${owner}/${id}`);
    for (let n = 0; n < 3; n += 1)
      expect((await api.call('GET', '/v3/self', { key })).json['error']).toBe('key_revoked');
    const total = (await counted(id, 4)).reduce<Record<string, number>>((sum, { changes }) => {
      for (const [code, n] of Object.entries(changes.codes)) sum[code] = (sum[code] ?? 0) + n;
      return sum;
    }, {});
    expect(total).toEqual({ forbidden: 1, key_revoked: 3 });

    const body = { name: 'x', scopes: ['run'], ip_ranges: ['192.0.2.0/24'] };
    const elsewhere = (await api.call('POST', owner, { body })).json;
    const answer = await api.call('GET', '/v3/self', { key: String(elsewhere['key']) });
    expect(answer.json['error']).toBe('ip_not_allowed');
    expect((await counted(String(elsewhere['id']), 1))[0]?.changes.codes).toEqual({ ip_not_allowed: 1 });
  });

  test('is written when the process closes, however soon after', async () => {
    const { key, id } = await machine(['run']);
    const brief = await api.another();
    expect((await brief.call('GET', logs, { key })).status).toBe(403);
    await brief.close();
    expect(await refusals(id)).toHaveLength(1);
  });
});

test('an unknown key and an invalid request are not recorded as refusals', async () => {
  const before = (await api.call('GET', `${logs}?outcome=denied,error`)).json['total'];
  expect((await api.call('GET', logs, { key: `guild_${'0'.repeat(48)}` })).status).toBe(401);
  expect((await api.call('GET', logs, { key: '' })).status).toBe(401);
  expect((await api.call('GET', `${logs}?first=0`)).status).toBe(400);
  expect((await api.call('GET', '/v3/organizations/elsewhere/audit-logs')).status).toBe(404);
  const { key } = await machine(['org:read']);
  const brief = await api.another();
  expect((await brief.call('GET', logs, { key })).status).toBe(200);
  await brief.close();
  expect((await api.call('GET', `${logs}?outcome=denied,error`)).json['total']).toBe(before);
});

test('a change that fails on our side is on record as an error', async () => {
  const { slug, key } = await api.createOrganization('Failing');
  // Simulates a failure that no request can cause: the table of the change is missing.
  await api.ctx.db.pool.query('alter table ip_access_entries rename to gone');
  try {
    const answer = await api.call('POST', `/v3/organizations/${slug}/ip-access-list/entries`, {
      key,
      body: { cidr: '192.0.2.1' },
    });
    expect(answer.status).toBe(500);
  } finally {
    await api.ctx.db.pool.query('alter table gone rename to ip_access_entries');
  }
  const deadline = Date.now() + 10_000;
  let found: unknown[] = [];
  while (found.length === 0 && Date.now() < deadline) {
    const { json } = await api.call('GET', `/v3/organizations/${slug}/audit-logs?outcome=error`, { key });
    found = Array.isArray(json['items']) ? json['items'] : [];
  }
  expect(found).toMatchObject([
    {
      action: 'request.fail',
      outcome: 'error',
      changes: {
        count: 1,
        codes: { internal_error: 1 },
        request: 'POST /v3/organizations/:orgId/ip-access-list/entries',
      },
    },
  ]);
});
