import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn } from '../../../../test/support/session-states.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const sessions = '/v3/organizations/default/sessions';

function bulk(body: object, headers: Record<string, string> = {}, key = api.adminKey) {
  return api.call('POST', `${sessions}/bulk`, { body, headers, key });
}

async function read(id: string): Promise<Record<string, unknown>> {
  return (await api.call('GET', `${sessions}/${id}`)).json;
}

const done = (id: string) => ({ id, ok: true, error: null });
const refused = (id: string, code: string) => ({ id, ok: false, error: { code, message: expect.any(String) } });

async function acts(): Promise<{ action: string; resource_id: string }[]> {
  const { rows } = await api.ctx.db.pool.query<{ action: string; resource_id: string }>(
    'select action, resource_id from audit_entries order by created_at, id',
  );
  return rows;
}

describe('changing several sessions', () => {
  test('has a result for each in order; one that is refused does not stop the others', async () => {
    const { slug, key } = await api.createOrganization('Elsewhere');
    const { json } = await api.call('POST', `/v3/organizations/${slug}/sessions`, { key, body: { prompt: 'x' } });
    const foreign = String(json['id']);
    const [one, two, three] = [
      (await sessionIn(api, 'completed')).id,
      (await sessionIn(api, 'running')).id,
      (await sessionIn(api, 'canceled')).id,
    ];
    const ids = [one, two, 'ses_none', foreign, three];
    const before = (await acts()).length;
    const answer = await bulk({ ids, action: 'archive' });
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        items: [
          done(one),
          refused(two, 'invalid_transition'),
          refused('ses_none', 'session_not_found'),
          refused(foreign, 'session_not_found'),
          done(three),
        ],
      },
    ]);
    const archived = await Promise.all([one, two, three].map(async (id) => (await read(id))['archived']));
    expect(archived).toEqual([true, false, true]);
    expect((await acts()).slice(before)).toEqual([
      { action: 'session.archive', resource_id: one },
      { action: 'session.archive', resource_id: three },
    ]);
    // What already holds is no change.
    expect((await bulk({ ids: [one, three], action: 'archive' })).json).toEqual({ items: [done(one), done(three)] });
    expect((await bulk({ ids: [one, two], action: 'unarchive' })).json).toEqual({ items: [done(one), done(two)] });
    expect((await acts()).slice(before + 2)).toEqual([{ action: 'session.unarchive', resource_id: one }]);
    const canceled = await bulk({ ids: [one, two], action: 'cancel' });
    expect(canceled.json).toEqual({ items: [refused(one, 'invalid_transition'), done(two)] });
    expect(await read(two)).toMatchObject({ status: 'canceled' });
  });

  test('adds tags to those of each session, as the policy allows', async () => {
    const one = (await sessionIn(api, 'queued', { tags: ['a', 'b'] })).id;
    const two = (await sessionIn(api, 'queued')).id;
    const full = (await sessionIn(api, 'queued', { tags: Array.from({ length: 49 }, (_, at) => `t${at}`) })).id;
    const tagged = await bulk({ ids: [one, two, full], action: 'tag', tags: ['b', 'c'] });
    expect(tagged.json).toEqual({ items: [done(one), done(two), refused(full, 'invalid_request')] });
    expect((await read(one))['tags']).toEqual(['a', 'b', 'c']);
    expect((await read(two))['tags']).toEqual(['b', 'c']);
    const before = (await acts()).length;
    expect((await bulk({ ids: [one], action: 'tag', tags: ['a'] })).json).toEqual({ items: [done(one)] });
    expect(await acts()).toHaveLength(before);
    const settings = '/v3/organizations/default/settings/run_tags';
    await api.call('PUT', settings, { body: { allowed: ['b', 'c', 'd'], enforce: true } });
    // The tag "a" of the first is not allowed any more, as if all were sent with PATCH.
    const bound = await bulk({ ids: [one, two], action: 'tag', tags: ['d'] });
    expect(bound.json).toEqual({ items: [refused(one, 'tag_not_allowed'), done(two)] });
    await api.call('PUT', settings, { body: {} });
  });

  test('is replayed as a whole for an Idempotency-Key', async () => {
    const one = (await sessionIn(api, 'completed')).id;
    const two = (await sessionIn(api, 'running')).id;
    const body = { ids: [one, two], action: 'archive' };
    const headers = { 'idempotency-key': 'bulk-1' };
    const first = await bulk(body, headers);
    expect(first.json).toEqual({ items: [done(one), refused(two, 'invalid_transition')] });
    await api.call('POST', `${sessions}/${two}/cancel`);
    const again = await bulk(body, headers);
    expect([again.headers.get('idempotent-replayed'), again.json]).toEqual(['true', first.json]);
    expect((await read(two))['archived']).toBe(false);
  });

  test('200 sessions at once, and no more', { timeout: 60_000 }, async () => {
    const { id } = await sessionIn(api, 'queued');
    const ids = Array.from({ length: 200 }, (_, at) => `ses_many${String(at).padStart(3, '0')}`);
    await api.ctx.db.pool.query(
      `insert into sessions (id, org_id, prompt, agent_id, agent_version, created_by_type, created_by_id)
       select n, org_id, prompt, agent_id, agent_version, created_by_type, created_by_id
       from sessions, unnest($2::text[]) n where id = $1`,
      [id, ids],
    );
    expect((await bulk({ ids, action: 'cancel' })).json).toEqual({ items: ids.map(done) });
    const { status, json } = await bulk({ ids: [...ids, 'ses_more'], action: 'archive' });
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
  });

  test.each([
    { ids: [], action: 'archive' },
    { ids: ['ses_a', 'ses_a'], action: 'archive' },
    { ids: ['ses_a'], action: 'delete' },
    { ids: ['ses_a'], action: 'tag' },
    { ids: ['ses_a'], action: 'tag', tags: [] },
    { ids: ['ses_a'], action: 'archive', tags: ['a'] },
  ])('%o is 400', async (body) => {
    const { status, json } = await bulk(body);
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
  });

  test('takes the scope run', async () => {
    const key = await api.keyWith(['sessions:read']);
    const { status, json } = await bulk({ ids: ['ses_a'], action: 'archive' }, {}, key);
    expect([status, json['error']]).toEqual([403, 'forbidden']);
  });
});
