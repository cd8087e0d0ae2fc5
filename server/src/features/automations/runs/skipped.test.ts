import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { newAutomation, newRun } from '../../../../test/support/automations.ts';
import { runDue } from '../scheduler.ts';

const org = '/v3/organizations/default';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function countSkipped(): Promise<number> {
  const { rows } = await api.ctx.db.pool.query(
    `select count(*)::int as n from measurements where metric = 'run.skipped'`,
  );
  return rows[0]?.n;
}

test('the metrics count runs that were skipped, by their rule and by the schedule', async () => {
  const automation = await newAutomation(api, { concurrency: 'skip' });
  expect((await newRun(api, automation)).status).toBe('pending');
  expect((await newRun(api, automation)).status).toBe('skipped');
  await expect.poll(countSkipped, { timeout: 20_000 }).toBe(1);
  const { json } = await api.call('POST', `${org}/automations`, {
    body: {
      name: 'x',
      triggers: [{ type: 'schedule', cron: '0 0 1 1 *' }],
      action: { prompt_template: 'Do it.' },
      missed_runs: 'skip',
    },
  });
  await api.ctx.db.pool.query(
    `update automation_triggers set due_at = date_trunc('year', now()) - interval '1 day' where automation_id = $1`,
    [json['id']],
  );
  await runDue(api.ctx);
  await expect.poll(countSkipped, { timeout: 20_000 }).toBe(2);
});
