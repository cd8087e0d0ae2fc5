import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn, start, states, take } from '../../../../test/support/session-states.ts';
import { startMaintenance } from '../../../app/maintenance.ts';
import { archiveEnded, suspendIdle } from './rest-service.ts';
import { finish, holds } from '../run/run-service.ts';

const settings = '/v3/organizations/default/settings/sessions';
const minute = 60_000;
const day = 24 * 60 * minute;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterEach(async () => {
  await api.call('DELETE', settings);
  await api.ctx.db.pool.query('delete from sessions');
});
afterAll(() => api.close());

/** Returns a context whose clock is ahead by this time. */
function later(ms: number) {
  return { db: api.ctx.db, clock: { now: () => new Date(Date.now() + ms) } };
}

async function set(body: object): Promise<void> {
  const answer = await api.call('PUT', settings, { body });
  if (answer.status !== 200) throw new Error(answer.text);
}

async function get(path: string): Promise<Record<string, unknown>> {
  return (await api.call('GET', path)).json;
}

describe('idle_suspend_minutes', () => {
  test('suspends what waits for a person for so long, and not sooner', async () => {
    await set({ idle_suspend_minutes: 30 });
    const { path } = await sessionIn(api, 'waiting');
    expect(await suspendIdle(later(29 * minute))).toBe(0);
    expect((await get(path))['status']).toBe('waiting');
    expect(await suspendIdle(later(31 * minute))).toBe(1);
    expect(await get(path)).toMatchObject({ status: 'suspended', status_detail: 'inactivity', sandbox_state: 'none' });
    expect(await suspendIdle(later(31 * minute))).toBe(0);
    const { items } = await get(`${path}/events?first=200`);
    expect(Object(items).at(-1)).toMatchObject({
      kind: 'status',
      data: { status: 'suspended', status_detail: 'inactivity', sandbox_state: 'none' },
    });
  });

  test('is an hour unless told, and 0 is never', async () => {
    const { path } = await sessionIn(api, 'waiting');
    expect(await suspendIdle(later(59 * minute))).toBe(0);
    await set({ idle_suspend_minutes: 0 });
    expect(await suspendIdle(later(365 * day))).toBe(0);
    await api.call('DELETE', settings);
    expect(await suspendIdle(later(61 * minute))).toBe(1);
    expect((await get(path))['status']).toBe('suspended');
  });

  test("is each organization's own", async () => {
    const other = await api.createOrganization('Patient');
    await set({ idle_suspend_minutes: 1 });
    const { path } = await sessionIn(api, 'waiting');
    const sessions = `/v3/organizations/${other.slug}/sessions`;
    const theirs = await api.call('POST', sessions, { key: other.key, body: { prompt: 'Do it.' } });
    const run = await start(api, String(theirs.json['id']));
    await finish(api.ctx, run, {
      status: 'waiting',
      status_detail: 'awaiting_user',
      sandbox_state: 'none',
      sandboxSeconds: 1,
    });
    expect(await suspendIdle(later(2 * minute))).toBe(1);
    expect((await get(path))['status']).toBe('suspended');
    expect(await suspendIdle(later(61 * minute))).toBe(1);
  });

  test('concerns no session that does not wait', async () => {
    const others = states.filter((state) => state !== 'waiting');
    const paths = [];
    for (const state of others) paths.push((await sessionIn(api, state)).path);
    const before = await Promise.all(paths.map(get));
    expect(await suspendIdle(later(61 * minute))).toBe(0);
    expect(await Promise.all(paths.map(get))).toEqual(before);
  });

  test('takes the session from the worker that keeps it; a message goes on with it', async () => {
    const { id, path } = await sessionIn(api, 'waiting');
    await api.call('POST', `${path}/messages`, { body: { content: 'Go on.' } });
    const run = await take(api, id);
    await api.ctx.db.pool.query("update sessions set status = 'waiting' where id = $1", [id]);
    expect(await holds(api.ctx, run)).toBe(true);
    expect(await suspendIdle(later(61 * minute))).toBe(1);
    expect(await holds(api.ctx, run)).toBe(false);
    await api.call('POST', `${path}/messages`, { body: { content: 'And on.' } });
    expect((await get(path))['status']).toBe('queued');
    expect((await take(api, id)).losses).toBe(0);
  });

  test('suspends hundreds, each once, also with concurrent runs', async () => {
    const { id } = await sessionIn(api, 'waiting');
    await api.ctx.db.pool.query(
      `insert into sessions (id, org_id, prompt, status, agent_id, agent_version, created_by_type, created_by_id)
       select 'ses_' || n, org_id, prompt, status, agent_id, agent_version, created_by_type, created_by_id
       from sessions, generate_series(1, 250) n where id = $1`,
      [id],
    );
    const counts = await Promise.all([1, 2, 3].map(() => suspendIdle(later(61 * minute))));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(251);
    const { rows } = await api.ctx.db.pool.query(
      "select count(*) as n, count(distinct session_id) as sessions from session_events where data ->> 'status_detail' = 'inactivity'",
    );
    expect(rows).toEqual([{ n: 251, sessions: 251 }]);
  });

  test('is looked after by the process itself', async () => {
    const { id, path } = await sessionIn(api, 'waiting');
    await api.ctx.db.pool.query("update sessions set updated_at = now() - interval '2 hours' where id = $1", [id]);
    await startMaintenance(api.ctx, { hasRepositories: true });
    await api.ctx.db.transaction((trx) => api.ctx.jobs.enqueue(trx, 'maintenance', { task: 'suspend-idle-sessions' }));
    await expect.poll(async () => (await get(path))['status'], { timeout: 15_000 }).toBe('suspended');
  });
});

describe('archive_after_days', () => {
  test('archives what ended and was left alone for so long; nothing unless told', async () => {
    const paths = new Map<string, string>();
    for (const state of states) paths.set(state, (await sessionIn(api, state)).path);
    expect(await archiveEnded(later(3_650 * day))).toBe(0);
    await set({ archive_after_days: 10 });
    expect(await archiveEnded(later(10 * day - minute))).toBe(0);
    expect(await archiveEnded(later(10 * day + minute))).toBe(4);
    for (const [state, path] of paths)
      expect([state, (await get(path))['archived']]).toEqual([state, /completed|failed|canceled/.test(state)]);
    expect((await get('/v3/organizations/default/sessions'))['total']).toBe(states.length - 4);
    const { rows } = await api.ctx.db.pool.query(
      "select actor_type, actor_display, resource_type from audit_entries where action = 'session.archive'",
    );
    expect(rows).toEqual(
      Array.from({ length: 4 }, () => ({
        actor_type: 'system',
        actor_display: 'upkeep',
        resource_type: 'session',
      })),
    );
  });

  test('leaves alone for as long again what a person took out of the archive', async () => {
    await set({ archive_after_days: 1 });
    const { path } = await sessionIn(api, 'completed');
    expect(await archiveEnded(later(30 * day))).toBe(1);
    await api.call('POST', `${path}/unarchive`);
    expect(await archiveEnded(later(day - minute))).toBe(0);
    expect(await archiveEnded(later(30 * day))).toBe(1);
  });
});
