import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type CallOptions, type TestApi } from '../../test/support/api.ts';

let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
});
afterAll(async () => {
  await second.close();
  await api.close();
});

const org = '/v3/organizations/default';
const users = `${org}/service-users`;

function post(path: string, idempotencyKey: string, options: CallOptions = {}, to = api) {
  return to.call('POST', path, { ...options, headers: { 'idempotency-key': idempotencyKey, ...options.headers } });
}

async function count(table: string): Promise<number> {
  const { rows } = await api.ctx.db.pool.query<{ n: number }>(`select count(*) as n from ${table}`);
  return rows[0]?.n ?? 0;
}

async function change(idempotencyKey: string, set: string): Promise<void> {
  await api.ctx.db.pool.query(`update idempotency_keys set ${set} where idempotency_key = $1`, [idempotencyKey]);
}

describe('a replay', () => {
  test('answers the stored status and body, says so, and does nothing again', async () => {
    const first = await post(users, 'a-1', { body: { name: 'one' } });
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    const before = [await count('service_users'), await count('audit_entries')];
    for (const to of [api, second]) {
      const again = await post(users, 'a-1', { body: { name: 'one' } }, to);
      expect([again.status, again.headers.get('idempotent-replayed'), again.json]).toEqual([201, 'true', first.json]);
    }
    expect([await count('service_users'), await count('audit_entries')]).toEqual(before);
  });

  test.each([
    ['a key', '/v3/self/keys', { name: 'shown once', scopes: ['run'] }],
    ['an organization', '/v3/organizations', { name: 'Shown once' }],
  ])('of %s shows no secret again, and none is stored', async (_name, path, body) => {
    const first = await post(path, `once${path}`, { body });
    expect(first.json['key']).toMatch(/^guild_/);
    const again = await post(path, `once${path}`, { body });
    expect(again.json).toEqual({ ...first.json, key: '' });
    const { rows } = await api.ctx.db.pool.query('select body::text from idempotency_keys');
    expect(JSON.stringify(rows)).not.toContain(String(first.json['key']).slice(6));
  });

  test('of a rotation, a message, a session, an agent and a repository is what was answered', async () => {
    const session = await post(`${org}/sessions`, 'c-1', { body: { prompt: 'x', tags: ['a'] } });
    const key = await api.call('POST', '/v3/self/keys', { body: { name: 'k', scopes: ['run'] } });
    const rows: [string, object, string[]][] = [
      [`${org}/sessions`, { prompt: 'x', tags: ['a'] }, []],
      [`${org}/sessions/${String(session.json['id'])}/messages`, { content: 'more' }, []],
      [`${org}/sessions/${String(session.json['id'])}/cancel`, {}, []],
      [`/v3/self/keys/${String(key.json['id'])}/rotate`, { overlap_seconds: 60 }, ['key']],
      ['/agents', { name: 'replayed', temperature: 0.5 }, []],
      [`${org}/repositories`, { provider: 'local', repo: 'replayed/one' }, []],
    ];
    for (const [path, body, once] of rows) {
      const first = await post(path, `d${path}`, { body });
      expect(first.status).toBeLessThan(300);
      const again = await post(path, `d${path}`, { body });
      const expected = { ...first.json, ...Object.fromEntries(once.map((field) => [field, ''])) };
      expect([again.status, again.json]).toEqual([first.status, expected]);
    }
  });

  test('of a refusal that a repetition could not change is the refusal, under its own id', async () => {
    const body = { prompt: 'x', repositories: [{ repo: 'no/such' }] };
    const first = await post(`${org}/sessions`, 'e-1', { body });
    const again = await post(`${org}/sessions`, 'e-1', { body });
    expect([first.status, again.status, again.json]).toEqual([404, 404, first.json]);
    expect(again.headers.get('x-request-id')).toBe(again.json['request_id']);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('belongs to one key alone', async () => {
    const key = await api.keyWith(['org:write']);
    const mine = await post(users, 'f-1', { body: { name: 'mine' } });
    const theirs = await post(users, 'f-1', { body: { name: 'mine' }, key });
    expect(theirs.status).toBe(201);
    expect(theirs.json['id']).not.toBe(mine.json['id']);
  });

  test('ends after 24 hours', async () => {
    const first = await post(users, 'g-1', { body: { name: 'day' } });
    await change('g-1', "created_at = now() - interval '23 hours 59 minutes'");
    expect((await post(users, 'g-1', { body: { name: 'day' } })).json['id']).toBe(first.json['id']);
    await change('g-1', "created_at = now() - interval '24 hours 1 second'");
    const next = await post(users, 'g-1', { body: { name: 'another day' } });
    expect([next.status, next.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

describe('the same key', () => {
  test('with another body, query or path is 409 idempotency_conflict', async () => {
    // Unversioned, because operations of `/v3` reject unknown query parameters.
    await post('/agents', 'h-1', { body: { name: 'one' } });
    for (const [path, body] of [
      ['/agents', { name: 'two' }],
      ['/agents?x=1', { name: 'one' }],
      [users, { name: 'one' }],
    ] as const) {
      const answer = await post(path, 'h-1', { body });
      expect([answer.status, answer.json['error']]).toEqual([409, 'idempotency_conflict']);
    }
  });

  test('fired many times at once does the work once, over two processes', async () => {
    const before = await count('service_users');
    const calls = Array.from({ length: 20 }, (_, index) =>
      post(users, 'i-1', { body: { name: 'once' } }, index % 2 === 0 ? api : second),
    );
    const answers = await Promise.all(calls);
    expect(await count('service_users')).toBe(before + 1);
    const done = answers.filter(({ status }) => status === 201);
    expect(new Set(done.map(({ json }) => json['id'])).size).toBe(1);
    for (const { status, json } of answers)
      if (status !== 201) expect([status, json['error']]).toEqual([409, 'idempotency_in_progress']);
  });

  test('is in progress while its process lives, and free a minute after that process died', async () => {
    await post(users, 'j-1', { body: { name: 'crash' } });
    // The state after a process died before its transaction committed.
    await change('j-1', "status = null, body = null, owner = 'req_dead', locked_until = now() + interval '30 seconds'");
    const held = await post(users, 'j-1', { body: { name: 'crash' } });
    expect([held.status, held.json['error']]).toEqual([409, 'idempotency_in_progress']);
    await change('j-1', "locked_until = now() - interval '1 second'");
    const other = await post(users, 'j-1', { body: { name: 'other' } });
    expect([other.status, other.json['error']]).toEqual([409, 'idempotency_conflict']);
    const freed = await post(users, 'j-1', { body: { name: 'crash' } });
    expect([freed.status, freed.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  test('is stored by the transaction of the work itself: a crash behind the commit still replays', async () => {
    const { rows } = await api.ctx.db.pool.query<{ same: boolean }>(
      `select i.xmin = s.xmin as same from idempotency_keys i, service_users s
       where i.idempotency_key = 'a-1' and s.name = 'one' order by s.id limit 1`,
    );
    expect(rows).toEqual([{ same: true }]);
  });

  test('is free again after a refusal that says nothing about the request', async () => {
    const body = { provider: 'local', repo: 'a/b', import_url: 'http://does-not-exist.invalid/a.git' };
    expect((await post(`${org}/repositories`, 'k-1', { body })).status).toBe(502);
    const retried = await post(`${org}/repositories`, 'k-1', { body: { provider: 'local', repo: 'a/b' } });
    expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  test('is not taken by a request that does not hold its contract', async () => {
    expect((await post(users, 'l-1', { body: { nme: 'x' } })).status).toBe(400);
    expect((await post(users, 'l-1', { body: { name: 'x' } })).status).toBe(201);
  });
});

test.each(['x'.repeat(256), 'with space', 'ümlaut', ''])('the key %j is 400, and 422 unversioned', async (value) => {
  const versioned = await post(users, value, { body: { name: 'x' } });
  expect([versioned.status, versioned.json['error']]).toEqual([400, 'invalid_request']);
  const rule = 'header.idempotency-key must be 1 to 255 visible ASCII characters, without spaces.';
  expect(versioned.json['message']).toBe(rule);
  const unversioned = await post('/agents', value, { body: { name: 'x' } });
  expect(unversioned.status).toBe(422);
  expect(unversioned.json).toMatchObject({ detail: [{ loc: ['header', 'idempotency-key'], ctx: {} }] });
});

test('only POST looks at the header', async () => {
  const read = await api.call('GET', users, { headers: { 'idempotency-key': 'm-1' } });
  const again = await api.call('GET', users, { headers: { 'idempotency-key': 'm-1' } });
  expect([read.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
});
