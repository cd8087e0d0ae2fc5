import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { claim, newAutomation, newRun } from '../../../../test/support/automations.ts';
import { retentionNow } from '../../../../test/support/retention.ts';
import { sessionIn } from '../../../../test/support/session-states.ts';

const org = '/v3/organizations/default';
const afterMs = 31 * 24 * 3_600_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function setDays(body: object): Promise<void> {
  expect((await api.call('PUT', `${org}/settings/retention`, { body })).status).toBe(200);
}

const cancel = (id: string) => api.call('POST', `${org}/automations/runs/${id}/cancel`);
const statusOf = async (id: string) => (await api.call('GET', `${org}/automations/runs/${id}`)).status;

test('runs are deleted some days after their end, if the settings say so', async () => {
  const automation = await newAutomation(api, { concurrency: 'parallel' });
  const [ended, waiting, working] = [
    await newRun(api, automation),
    await newRun(api, automation),
    await newRun(api, automation),
  ];
  for (const { id } of [ended, working]) expect((await cancel(id)).status).toBe(200);
  const session = await sessionIn(api, 'running');
  await api.ctx.db.pool.query('update automation_runs set session_id = $2 where id = $1', [working.id, session.id]);
  expect(await retentionNow(api.ctx, 'runs', { afterMs })).toEqual(new Map());
  await setDays({ runs_days: 30 });
  const one = new Map([[automation.org_id, { count: 1, bytes: expect.any(Number) }]]);
  expect(await retentionNow(api.ctx, 'runs')).toEqual(new Map());
  expect(await retentionNow(api.ctx, 'runs', { afterMs, isDryRun: true })).toEqual(one);
  expect(await statusOf(ended.id)).toBe(200);
  expect(await retentionNow(api.ctx, 'runs', { afterMs })).toEqual(one);
  expect(await Promise.all([ended, waiting, working].map(({ id }) => statusOf(id)))).toEqual([404, 200, 200]);
});

test('callback tokens are deleted 30 days after the end of their run', async () => {
  const automation = await newAutomation(api, { concurrency: 'parallel' });
  await newRun(api, automation);
  await newRun(api, automation);
  const only = { automation_ids: [automation.id] };
  const report = async (attempt: Awaited<ReturnType<typeof claim>>, status: string): Promise<number> => {
    const { id = '', fencing_token, attempt_no, callback_token = '' } = attempt ?? {};
    const body = { fencing_token, attempt_no, status };
    return (await api.call('POST', `/automations/runs/${id}/callback`, { key: callback_token, body })).status;
  };
  const [ended, running] = [await claim(api, only), await claim(api, only)];
  expect(await report(ended, 'succeeded')).toBe(200);
  expect(await retentionNow(api.ctx, 'callback-tokens')).toEqual(new Map());
  expect(await report(ended, 'succeeded')).toBe(200);
  const removed = await retentionNow(api.ctx, 'callback-tokens', { afterMs });
  expect(removed).toEqual(new Map([[automation.org_id, { count: 1, bytes: expect.any(Number) }]]));
  expect([await report(ended, 'succeeded'), await report(running, 'running')]).toEqual([401, 200]);
});
