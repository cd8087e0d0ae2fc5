import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { newAutomation } from '../../../test/support/automations.ts';
import { scheduleFollowup, startFollowup } from './followup-service.ts';
import { startAutomationRuns } from './runs/jobs.ts';

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
  const { rows } = await api.ctx.db.pool.query(
    'select trigger, payload, scheduled_at from automation_runs where automation_id = $1',
    [id],
  );
  return rows;
}

/** Lets the job of a session's follow-up come due now. */
async function pass(sessionId: string): Promise<number> {
  const { rowCount } = await api.ctx.db.pool.query(
    `update pgboss.job set start_after = now() where name = 'automation_run' and data ->> 'session_id' = $1`,
    [sessionId],
  );
  return rowCount ?? 0;
}

test('a session schedules one run of its automation, with its note as data', async () => {
  await allow(true);
  const { automation, sessionId, orgId } = await newSession();
  await scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes: 5, note: 'first' });
  const answer = await scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes: 30, note: 'Look at the build.' });
  expect(answer).toEqual({ at: expect.any(Date) });
  expect(await runsOf(automation.id)).toEqual([]);
  expect(await pass(sessionId)).toBe(1);
  await expect
    .poll(() => runsOf(automation.id), { timeout: 20_000 })
    .toEqual([
      {
        trigger: 'followup',
        payload: { note: 'Look at the build.', session_id: sessionId },
        scheduled_at: 'at' in answer ? answer.at : undefined,
      },
    ]);
});

test('a repeated job makes no second run', async () => {
  await allow(true);
  const { automation, sessionId, orgId } = await newSession({ concurrency: 'parallel' });
  const job = {
    follow_up: automation.id,
    org_id: orgId,
    session_id: sessionId,
    at: new Date().toISOString(),
    note: '',
  };
  await Promise.all([startFollowup(api.ctx, job), startFollowup(api.ctx, job)]);
  expect(await runsOf(automation.id)).toHaveLength(1);
});

test('the organization must allow it, also when it comes due', async () => {
  await allow(false);
  const { automation, sessionId, orgId } = await newSession();
  const ask = (minutes: number) => scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes, note: '' });
  expect(await ask(5)).toEqual({ refusal: 'The organization does not allow follow-ups.' });
  await startFollowup(api.ctx, {
    follow_up: automation.id,
    org_id: orgId,
    session_id: sessionId,
    at: new Date().toISOString(),
    note: '',
  });
  expect(await runsOf(automation.id)).toEqual([]);
  await allow(true, 15);
  expect(await ask(14)).toEqual({ refusal: expect.stringContaining('15 to 10080 minutes') });
  expect(await ask(10_081)).toEqual({ refusal: expect.any(String) });
  expect(await ask(15)).toEqual({ at: expect.any(Date) });
});

test('nothing follows on a session without an automation, or of a paused one', async () => {
  await allow(true);
  const { automation, sessionId, orgId } = await newSession();
  await api.call('POST', `${org}/automations/${automation.id}/pause`);
  await startFollowup(api.ctx, {
    follow_up: automation.id,
    org_id: orgId,
    session_id: sessionId,
    at: new Date().toISOString(),
    note: '',
  });
  expect(await runsOf(automation.id)).toEqual([]);
  await api.call('DELETE', `${org}/automations/${automation.id}`);
  expect(await scheduleFollowup(api.ctx, { orgId, sessionId }, { minutes: 5, note: '' })).toEqual({
    refusal: 'No automation started this session.',
  });
});
