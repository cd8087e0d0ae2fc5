import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';

const script = new URL('../../../test/support/scheduler-child.ts', import.meta.url);
const minuteMs = 60_000;
const begin = new Date('2027-03-01T00:00:00Z').getTime();

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

async function startScheduler() {
  const child = spawn(process.execPath, [script.pathname, api.connectionString], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => (await lines.next()).value;
  expect(await next()).toBe('ready');
  return {
    /** Returns `done`, or `held` if it stopped before that commit. */
    schedule(at: Date, held: '' | 'runs' | 'alarm' = ''): Promise<unknown> {
      child.stdin.write(`${at.toISOString()} ${held}\n`);
      return next();
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

async function timesOfRuns(id: string): Promise<number[]> {
  const { rows } = await api.ctx.db.pool.query<{ at: Date }>(
    'select scheduled_at as at from automation_runs where automation_id = $1 order by scheduled_at',
    [id],
  );
  return rows.map(({ at }) => at.getTime());
}

test('ten minutes, each with one run, although the scheduler is killed twice', async () => {
  const made = await api.call('POST', '/v3/organizations/default/automations', {
    body: {
      name: 'each minute',
      triggers: [{ type: 'schedule', cron: '* * * * *' }],
      action: { prompt_template: 'Do it.' },
      concurrency: 'parallel',
      missed_runs: 'skip',
    },
  });
  const id = String(made.json['id']);
  await api.ctx.db.pool.query('update automation_triggers set due_at = $2 where automation_id = $1', [
    id,
    new Date(begin),
  ]);
  let scheduler = await startScheduler();
  const expected: number[] = [];
  for (let minute = 0; minute < 10; minute += 1) {
    const at = new Date(begin + minute * minuteMs);
    // In the third minute it dies before its runs are committed, in the seventh after that, before it sets the alarm.
    const held = minute === 2 ? 'runs' : minute === 6 ? 'alarm' : '';
    const answer = await scheduler.schedule(at, held);
    if (held !== '') {
      expect(answer).toBe('held');
      expect(await timesOfRuns(id)).toHaveLength(held === 'runs' ? minute : minute + 1);
      await scheduler.kill();
      scheduler = await startScheduler();
      // The database notices a moment later that the dead process holds no rows any more.
      await expect
        .poll(
          async () => {
            await scheduler.schedule(at);
            return (await timesOfRuns(id)).length;
          },
          { timeout: 30_000 },
        )
        .toBe(minute + 1);
    } else expect(answer).toBe('done');
    expected.push(at.getTime());
    expect(await timesOfRuns(id)).toEqual(expected);
  }
  const { rows } = await api.ctx.db.pool.query(
    `select from pgboss.job j join automation_runs r on j.data ->> 'run_id' = r.id where r.automation_id = $1`,
    [id],
  );
  expect(rows).toHaveLength(10);
});
