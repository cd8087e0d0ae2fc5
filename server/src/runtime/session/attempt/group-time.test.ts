import { script } from '@guildhall/scripted-model';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { withinOneDay } from '../../../../test/support/day.ts';
import { newGroup, usageOf } from '../../../../test/support/groups.ts';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';

const organization = '/v3/organizations/default';

let fixture: ModelFixture;
let admin: { id: string; key: string };
beforeAll(async () => {
  fixture = await createModelFixture();
  const { json } = await fixture.api.call('GET', '/v3/self');
  admin = { id: String(json['principal_id']), key: fixture.api.adminKey };
});
beforeEach(async () => {
  await withinOneDay();
  await withinOneDay('Asia/Tokyo');
});
// Workers whose clock is ahead count for another day.
afterEach(() => fixture.stopWorkers());
afterAll(() => fixture.close());

async function statesOf(ids: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await fixture.api.ctx.db.pool.query<{ state: string; count: number }>(
    `select status || '/' || status_detail as state, count(*) as count from sessions where id = any($1) group by 1`,
    [ids],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

async function become(ids: readonly string[], states: Record<string, number>): Promise<void> {
  const listed = (all: Record<string, number>): string =>
    Object.entries(all)
      .map(([state, count]) => `${count} ${state}`)
      .toSorted((one, other) => one.localeCompare(other))
      .join(', ');
  const wanted = listed(states);
  const look = async () => (listed(await statesOf(ids)) === wanted ? true : undefined);
  await fixture.until(look, `sessions become ${wanted}`);
}

test('of 64 sessions 10 run; a larger limit, the next midnight and no limit let the rest begin', async () => {
  const { api } = fixture;
  const id = await newGroup(api, [admin], { per_day: { sessions: 10 }, on_exceed: 'queue', timezone: 'Asia/Tokyo' });
  const limit = (sessions: number | null) =>
    api.call('PATCH', `${organization}/groups/${id}`, { body: { limits: { per_day: { sessions } } } });
  const config = { steps: [{ run: 'true' }], summary: 'Done.' };
  const agent = await api.call('POST', '/agents', {
    body: { name: 'short', runtime: 'script', runtime_config: config },
  });
  const body = { prompt: 'Do it.', agent_id: agent.json['id'] };
  const created = await Promise.all(
    Array.from({ length: 64 }, () => api.call('POST', `${organization}/sessions`, { body })),
  );
  const ids = created.map(({ json }) => String(json['id']));
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const day = () => clock.now().toLocaleDateString('sv-SE', { timeZone: 'Asia/Tokyo' });
  const today = day();
  for (const worker of ['one', 'two'])
    await fixture.startWorker({ slots: 4, id: worker, change: (ctx) => ({ ...ctx, clock }) });
  await become(ids, { 'completed/finished': 10, 'queued/group_limit': 54 });
  expect((await usageOf(api, id, today)).used.sessions).toBe(10);
  await limit(14);
  await become(ids, { 'completed/finished': 14, 'queued/group_limit': 50 });
  aheadMs = 24 * 3_600_000;
  await become(ids, { 'completed/finished': 28, 'queued/group_limit': 36 });
  expect((await usageOf(api, id, today)).used.sessions).toBe(14);
  const next = await usageOf(api, id, day());
  expect(next).toMatchObject({ used: { sessions: 14 }, reserved: { sessions: 0, sandbox_minutes: 0 } });
  expect(next.used.sandbox_minutes).toBeGreaterThan(0);
  await limit(null);
  await become(ids, { 'completed/finished': 64 });
  await api.call('DELETE', `${organization}/groups/${id}`);
}, 200_000);

test('a session whose group has no more tokens stops with its work, and says which group it was', async () => {
  const { api } = fixture;
  const id = await newGroup(api, [admin], { per_day: { tokens: 3_000 } });
  await fixture.startWorker();
  const usage = { input: 900, output: 100 };
  const steps = ['one', 'two', 'three', 'four'].map((path) => ({ write: { path, content: path }, usage }));
  const session = await fixture.run({ prompt: script([...steps, { say: 'Done.' }]) });
  expect([session.status, session.status_detail]).toEqual(['suspended', 'budget_reached']);
  const events = await fixture.events(session.id);
  expect(
    events.find(({ kind, data }) => kind === 'warning' && data['code'] === 'group_limit')?.data['message'],
  ).toMatch(/the group "Group \d+" has used or reserved \d+ of 3000 tokens/);
  expect(events.find(({ kind }) => kind === 'budget')?.data).toMatchObject({ limit: 'group_tokens', allowed: 3_000 });
  const { used, reserved } = await usageOf(api, id);
  expect(used.tokens).toBeLessThanOrEqual(3_000);
  expect(reserved).toEqual({ cost_usd: 0, tokens: 0, sessions: 0, sandbox_minutes: 0 });
  await api.call('DELETE', `${organization}/groups/${id}`);
});

test('a session whose group has no more sandbox minutes is stopped', async () => {
  const { api } = fixture;
  const id = await newGroup(api, [admin], { per_day: { sandbox_minutes: 0.05 } });
  await fixture.startWorker();
  const session = await fixture.run({ agent: { steps: [{ run: 'sleep 30' }], summary: 'Slept.' } });
  expect([session.status, session.status_detail]).toEqual(['suspended', 'budget_reached']);
  const { used, reserved } = await usageOf(api, id);
  expect(used.sandbox_minutes).toBeGreaterThan(0.02);
  expect(used.sandbox_minutes).toBeLessThan(0.25);
  expect(reserved.sandbox_minutes).toBe(0);
  await api.call('DELETE', `${organization}/groups/${id}`);
});
