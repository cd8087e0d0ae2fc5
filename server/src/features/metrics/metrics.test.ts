import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { checkpoint, sessionIn, start, take } from '../../../test/support/session-states.ts';
import { rollUpAll } from '../../../test/support/rollups.ts';
import { dayOf } from '../../lib/days.ts';
import { rebuildRollups } from '../consumption/rollup-service.ts';
import type { NewEvent } from '../sessions/schemas/event-schemas.ts';
import { append, finish } from '../sessions/run/run-service.ts';
import { beginTurn } from '../sessions/run/turn-service.ts';

const organization = '/v3/organizations/default';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
let today: string;
beforeEach(async () => {
  await withinOneDay();
  today = dayOf(new Date());
});
afterAll(() => api.close());

async function metric(name: string, query = ''): Promise<Record<string, unknown>> {
  const { json, status } = await api.call('GET', `${organization}/metrics/${name}?${query}`);
  expect(status).toBe(200);
  return json;
}

async function measured(id: string): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ metric: string }>(
    'select metric from measurements where session_id = $1 order by metric',
    [id],
  );
  return rows.map(({ metric: name }) => name);
}

function verified(status: 'passed' | 'failed'): NewEvent {
  return { kind: 'phase', phase: 'verify', data: { name: 'verify', status, summary: '', evidence: [] } };
}

const within = { timeout: 20_000, interval: 50 };
const end = { status: 'completed', status_detail: 'finished', sandbox_state: 'none', sandboxSeconds: 1 } as const;

describe('metrics', () => {
  test('count what happened to sessions, from their events', async () => {
    const tags = ['counted'];
    const { id, path } = await sessionIn(api, 'waiting', { tags });
    expect((await api.call('POST', `${path}/messages`, { body: { content: 'Go on.' } })).status).toBe(202);
    const run = await take(api, id);
    await beginTurn(api.ctx, run, 2);
    await append(api.ctx, run, [verified('passed')]);
    await finish(api.ctx, run, { ...end, verification: 'fixed' });
    const failed = await sessionIn(api, 'failed', { tags });
    const canceled = await sessionIn(api, 'canceled', { tags });
    await expect
      .poll(() => measured(id), within)
      .toEqual([
        'session.completed',
        'session.created',
        'session.queued',
        'session.sandbox',
        'session.sandbox',
        'session.verify_passed',
        'session.waited',
        'session.waits',
        'user.active',
      ]);
    await expect.poll(() => measured(failed.id), within).toContain('session.failed');
    await expect.poll(() => measured(canceled.id), within).toContain('session.canceled');
    await rollUpAll(api.ctx);
    const check = async (): Promise<void> => {
      const { totals, items } = await metric('sessions', 'tag=counted');
      expect(totals).toMatchObject({
        created: 3,
        completed: 1,
        failed: 1,
        canceled: 1,
        success_rate: 0.5,
        checked: 1,
        verified_first_time: 1,
        verified_first_time_rate: 1,
      });
      expect(Object(totals).queue_wait).toMatchObject({ count: 2, p50_seconds: expect.any(Number) });
      expect(Object(totals).waiting_for_people).toMatchObject({ count: 1, p95_seconds: expect.any(Number) });
      expect(Object(items)).toHaveLength(30);
      expect(Object(items).at(-1)).toMatchObject({ start: today, created: 3 });
      expect(Object(items)[0]).toMatchObject({ created: 0, success_rate: null });
      const users = await metric('active-users', 'tag=counted&interval=month');
      expect(Object(users['items']).at(-1)).toMatchObject({ active_users: 1 });
      expect(Object((await metric('summary', 'tag=none'))['totals']).sessions).toMatchObject({ created: 0 });
    };
    await check();
    await rebuildRollups(api.ctx);
    await check();
  });

  test('count the first check of a session only', async () => {
    const tags = ['twice'];
    const { id } = await sessionIn(api, 'queued', { tags });
    for (const [turn, status] of [
      [1, 'failed'],
      [2, 'passed'],
    ] as const) {
      if (turn === 2)
        await api.call('POST', `${organization}/sessions/${id}/messages`, { body: { content: 'Again.' } });
      const run = await start(api, id, turn);
      await checkpoint(api, run);
      await append(api.ctx, run, [verified(status)]);
      await finish(api.ctx, run, end);
    }
    await expect.poll(() => measured(id), within).toContain('session.verify_failed');
    await expect.poll(async () => (await measured(id)).filter((name) => name === 'session.sandbox').length).toBe(2);
    await rollUpAll(api.ctx);
    expect((await metric('sessions', 'tag=twice'))['totals']).toMatchObject({
      completed: 1,
      checked: 1,
      verified_first_time: 0,
      verified_first_time_rate: 0,
    });
  });

  test('of weeks and months are those of whole ones', async () => {
    const week = await metric('usage', 'interval=week&from=2026-03-11&to=2026-03-17');
    expect([week['from'], week['to'], Object(week['items']).length]).toEqual(['2026-03-09', '2026-03-22', 2]);
    const month = await metric('automations', 'interval=month&from=2026-01-31&to=2026-02-01');
    expect(Object(month['items']).map(({ start: first }: { start: string }) => first)).toEqual([
      '2026-01-01',
      '2026-02-01',
    ]);
  });

  test('have one form, and need analytics:read', async () => {
    const keys = ['from', 'interval', 'items', 'to', 'totals'];
    for (const name of ['summary', 'sessions', 'usage', 'automations'])
      expect(Object.keys(await metric(name)).toSorted()).toEqual(keys);
    expect(Object.keys(await metric('reviews')).toSorted()).toEqual([...keys, 'outcomes'].toSorted());
    expect(Object.keys(await metric('change-requests')).toSorted()).toEqual([...keys, 'followed'].toSorted());
    const key = await api.keyWith(['sessions:read']);
    expect((await api.call('GET', `${organization}/metrics/summary`, { key })).status).toBe(403);
    for (const query of ['interval=year', 'tag=a,b'])
      expect((await api.call('GET', `${organization}/metrics/summary?${query}`)).status).toBe(400);
  });
});
