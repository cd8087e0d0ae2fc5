import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { newAutomation } from '../../../test/support/automations.ts';
import { scheduleFollowup } from './followup-service.ts';
import { startAutomationRuns } from './runs/jobs.ts';
import { lookAtRun } from './runs/look-service.ts';

const org = '/v3/organizations/default';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  startAutomationRuns(api.ctx);
});
afterAll(() => api.close());

async function allow(followups: boolean, min_interval_minutes = 1): Promise<void> {
  const body = { followups, min_interval_minutes };
  expect((await api.call('PUT', `${org}/settings/automations`, { body })).status).toBe(200);
}

async function newSession(fields: Record<string, unknown> = {}) {
  const automation = await newAutomation(api, fields);
  const session = await api.call('POST', `${org}/sessions`, { body: { prompt: 'x', repositories: [] } });
  const sessionId = String(session.json['id']);
  await api.ctx.db.pool.query('update sessions set automation_id = $2 where id = $1', [sessionId, automation.id]);
  return { automation, sessionId, orgId: automation.org_id };
}

async function runsOf(id: string): Promise<Record<string, unknown>[]> {
  const { json } = await api.call('GET', `${org}/automations/${id}/runs`);
  return Array.isArray(json['items']) ? json['items'] : [];
}

/** Lets a session's follow-up come due now. */
async function pass(sessionId: string): Promise<void> {
  const { rows } = await api.ctx.db.pool.query<{ id: string }>(
    `update automation_runs set scheduled_at = now() where trigger_id = $1 and status = 'scheduled' returning id`,
    [sessionId],
  );
  await api.ctx.db.pool.query(`update pgboss.job set start_after = now() where data ->> 'run_id' = any($1)`, [
    rows.map(({ id }) => id),
  ]);
}

const patience = { timeout: 20_000 };

test('a session schedules one run of its automation, with its note as data', async () => {
  await allow(true);
  const { automation, sessionId, orgId } = await newSession();
  const ask = (minutes: number, note: string) => scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes, note });
  await ask(5, 'first');
  const answer = await ask(30, 'Look at the build.');
  const at = 'at' in answer ? answer.at.toISOString() : '';
  const waiting = { status: 'scheduled', trigger: 'followup', scheduled_at: at };
  expect(await runsOf(automation.id)).toMatchObject([waiting]);
  expect(
    (await api.call('GET', `${org}/automations/${automation.id}/runs?status=scheduled`)).json['items'],
  ).toHaveLength(1);
  await pass(sessionId);
  await expect.poll(() => runsOf(automation.id), patience).toMatchObject([{ status: 'pending', trigger: 'followup' }]);
  const { rows } = await api.ctx.db.pool.query('select payload from automation_runs where automation_id = $1', [
    automation.id,
  ]);
  expect(rows).toEqual([{ payload: { note: 'Look at the build.', session_id: sessionId } }]);
  await ask(5, 'again');
  expect(await runsOf(automation.id)).toMatchObject([{ status: 'scheduled' }, { status: 'pending' }]);
});

test('a follow-up continues the chain of automations that started one another', async () => {
  await allow(true);
  const { automation, sessionId, orgId } = await newSession();
  await api.call('POST', `${org}/automations/${automation.id}/trigger`, { body: {} });
  await api.ctx.db.pool.query('update automation_runs set session_id = $1, chain_length = 5 where automation_id = $2', [
    sessionId,
    automation.id,
  ]);
  await scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes: 5, note: '' });
  const { rows } = await api.ctx.db.pool.query(
    `select chain_length from automation_runs where automation_id = $1 and trigger = 'followup'`,
    [automation.id],
  );
  expect(rows).toEqual([{ chain_length: 5 }]);
});

test('a follow-up that waits can be canceled, and does not count as a run that has not ended', async () => {
  await allow(true);
  const { automation, sessionId, orgId } = await newSession({ concurrency: 'skip' });
  await scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes: 5, note: '' });
  const [{ id = '' } = {}] = await runsOf(automation.id);
  const trigger = await api.call('POST', `${org}/automations/${automation.id}/trigger`, { body: {} });
  expect(trigger.json['run']).toMatchObject({ status: 'pending' });
  const canceled = await api.call('POST', `${org}/automations/runs/${String(id)}/cancel`);
  expect([canceled.status, canceled.json['status']]).toEqual([200, 'canceled']);
  await lookAtRun(api.ctx, String(id));
  expect((await runsOf(automation.id)).map(({ status }) => status)).toEqual(['pending', 'canceled']);
});

test('a follow-up obeys the concurrency rule when it comes due', async () => {
  await allow(true);
  const { automation, sessionId, orgId } = await newSession({ concurrency: 'skip' });
  await scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes: 5, note: '' });
  await api.call('POST', `${org}/automations/${automation.id}/trigger`, { body: {} });
  await pass(sessionId);
  await expect
    .poll(() => runsOf(automation.id), patience)
    .toMatchObject([
      { trigger: 'manual', status: 'pending' },
      { trigger: 'followup', status: 'skipped', skip_reason: expect.stringContaining('had not ended') },
    ]);
});

test('the organization must allow it, also when it comes due', async () => {
  await allow(true, 15);
  const { automation, sessionId, orgId } = await newSession();
  const ask = (minutes: number) => scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes, note: '' });
  expect(await ask(14)).toEqual({ refusal: expect.stringContaining('15 to 10080 minutes') });
  expect(await ask(10_081)).toEqual({ refusal: expect.any(String) });
  expect(await ask(15)).toEqual({ at: expect.any(Date) });
  await allow(false);
  expect(await ask(15)).toEqual({ refusal: 'The organization does not allow follow-ups.' });
  await pass(sessionId);
  await expect
    .poll(() => runsOf(automation.id), patience)
    .toMatchObject([{ status: 'skipped', skip_reason: expect.stringContaining('automations.followups') }]);
});

test('nothing follows on a session without an automation, or of a paused one', async () => {
  await allow(true);
  const { automation, sessionId, orgId } = await newSession();
  await scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes: 5, note: '' });
  await api.call('POST', `${org}/automations/${automation.id}/pause`);
  await pass(sessionId);
  await expect
    .poll(() => runsOf(automation.id), patience)
    .toMatchObject([{ status: 'skipped', skip_reason: 'The automation is paused or disabled.' }]);
  await api.call('DELETE', `${org}/automations/${automation.id}`);
  expect(await scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes: 5, note: '' })).toEqual({
    refusal: 'No automation started this session.',
  });
});
