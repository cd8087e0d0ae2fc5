import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { runDue, type SchedulerContext } from './scheduler.ts';

const org = '/v3/organizations/default';
const minuteMs = 60_000;

let api: TestApi;
let now = new Date('2027-03-01T00:00:10Z');
let ctx: SchedulerContext;
beforeAll(async () => {
  api = await startTestApi();
  ctx = { ...api.ctx, clock: { now: () => now } };
});
afterAll(() => api.close());

async function create(body: object): Promise<string> {
  const every = { type: 'schedule', cron: '* * * * *' };
  const action = { prompt_template: 'Do it.' };
  const made = await api.call('POST', `${org}/automations`, {
    body: { name: 'x', triggers: [every], action, executor: 'external', concurrency: 'queue', ...body },
  });
  expect(made.status).toBe(201);
  const id = String(made.json['id']);
  await dueAt(id, new Date(Math.ceil(now.getTime() / minuteMs) * minuteMs));
  return id;
}

/** The API's clock is the real one; the scheduler's here is not. */
async function dueAt(id: string, at: Date): Promise<void> {
  await api.ctx.db.pool.query('update automation_triggers set due_at = $2 where automation_id = $1', [id, at]);
}

async function runsOf(id: string): Promise<{ status: string; at: string }[]> {
  const { rows } = await api.ctx.db.pool.query(
    'select status, scheduled_at from automation_runs where automation_id = $1 order by scheduled_at',
    [id],
  );
  return rows.map(({ status, scheduled_at }) => ({ status, at: scheduled_at.toISOString() }));
}

async function stop(id: string): Promise<void> {
  await api.call('DELETE', `${org}/automations/${id}`);
}

test('each minute has one run, with several schedulers at once', async () => {
  const id = await create({});
  for (let minute = 0; minute < 10; minute += 1) {
    now = new Date(now.getTime() + minuteMs);
    await Promise.all(Array.from({ length: 4 }, () => runDue(ctx)));
  }
  const runs = await runsOf(id);
  expect(runs).toHaveLength(10);
  expect(new Set(runs.map(({ at }) => at)).size).toBe(10);
  const { rows: jobs } = await api.ctx.db.pool.query(
    `select from pgboss.job j join automation_runs r on j.data ->> 'run_id' = r.id where r.automation_id = $1`,
    [id],
  );
  expect(jobs.length, 'jobs that hand runs to a receiver').toBeGreaterThanOrEqual(10);
  const { json } = await api.call('GET', `${org}/automations/${id}`);
  expect(new Date(String(json['next_run_at'])).getTime()).toBeGreaterThan(now.getTime());
  await stop(id);
});

test('a scheduler that fails before its commit leaves the time for the next one', async () => {
  const id = await create({});
  now = new Date(now.getTime() + minuteMs);
  const broken: SchedulerContext = {
    ...ctx,
    jobs: { ...ctx.jobs, enqueueNew: () => Promise.reject(new Error('killed')) },
  };
  await expect(runDue(broken)).rejects.toThrow('killed');
  expect(await runsOf(id)).toEqual([]);
  await runDue(ctx);
  expect(await runsOf(id)).toHaveLength(1);
  await stop(id);
});

test.each([
  ['skip', 0],
  ['run_once', 1],
  ['catch_up', 145],
] as const)('a day without a scheduler, missed_runs %s: %d runs', async (missed_runs, count) => {
  const id = await create({
    missed_runs,
    concurrency: 'parallel',
    triggers: [{ type: 'schedule', cron: '*/10 * * * *' }],
  });
  const due = new Date(Math.ceil(now.getTime() / (10 * minuteMs)) * 10 * minuteMs);
  await dueAt(id, due);
  now = new Date(due.getTime() + 1_440 * minuteMs + 6 * minuteMs);
  await runDue(ctx);
  const runs = await runsOf(id);
  expect(runs.filter(({ status }) => status === 'pending')).toHaveLength(count);
  expect(runs.filter(({ status }) => status === 'skipped')).toHaveLength(missed_runs === 'skip' ? 1 : 0);
  await stop(id);
});

test('a single time runs once, and is over', async () => {
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const id = await create({ triggers: [{ type: 'once', at }] });
  now = new Date(now.getTime() + minuteMs);
  await runDue(ctx);
  now = new Date(now.getTime() + minuteMs);
  await runDue(ctx);
  expect(await runsOf(id)).toHaveLength(1);
  await stop(id);
});

test('what is paused does not run', async () => {
  const id = await create({});
  await api.call('POST', `${org}/automations/${id}/pause`);
  now = new Date(now.getTime() + minuteMs);
  await runDue(ctx);
  expect(await runsOf(id)).toEqual([]);
  await stop(id);
});

/** Creates many automations, with one of each concurrency rule in turn and a schedule that is due. */
async function createMany(count: number, due: Date, body: object): Promise<void> {
  const template = await create({ ...body, enabled: false });
  await api.ctx.db.pool.query(
    `insert into automations (id, org_id, name, enabled, triggers, action, executor, run_as, concurrency, missed_runs,
       max_attempts, backoff_seconds, timeout_minutes, created_by_type, created_by_id)
     select 'aut_load' || n, org_id, name, true,
       jsonb_build_array(triggers -> 0 || jsonb_build_object('id', 'hook_load' || n)), action, executor, run_as,
       (array['skip', 'queue', 'replace', 'parallel'])[1 + n % 4], missed_runs, max_attempts, backoff_seconds,
       timeout_minutes, created_by_type, created_by_id
     from automations, generate_series(1, $2::int) as n where id = $1`,
    [template, count],
  );
  await api.ctx.db.pool.query(
    `insert into automation_triggers (id, org_id, automation_id, type, due_at)
     select replace(id, 'aut_', 'hook_'), org_id, id, 'schedule', $1 from automations where id like 'aut_load%'`,
    [due],
  );
}

async function deleteMany(): Promise<void> {
  await api.ctx.db.pool.query(`delete from automations where id like 'aut_load%'`);
}

test('two schedulers at once make one run of each of 1,200 automations, with its job', async () => {
  const count = 1_200;
  await createMany(count, now, { executor: 'platform' });
  await Promise.all([runDue(ctx), runDue(ctx)]);
  const { rows: runs } = await api.ctx.db.pool.query(
    `select id from automation_runs where automation_id like 'aut_load%' order by id`,
  );
  const { rows: jobs } = await api.ctx.db.pool.query(
    `select data ->> 'run_id' as id from pgboss.job where name = 'automation_run' and data ->> 'run_id' is not null order by 1`,
  );
  expect(runs).toHaveLength(count);
  const made = new Set(runs.map(({ id }) => id));
  expect(jobs.filter(({ id }) => made.has(id))).toHaveLength(count);
  await deleteMany();
});

test('the missed minutes of a day of 500 automations are made up for in steps that commit', async () => {
  await createMany(500, new Date(now.getTime() - 1_440 * minuteMs), { missed_runs: 'catch_up' });
  const stopped = new AbortController();
  const transaction: typeof ctx.db.transaction = async (work) => {
    const done = await ctx.db.transaction(work);
    stopped.abort(new Error('stopped after a step'));
    return done;
  };
  await expect(runDue({ ...ctx, db: { ...ctx.db, transaction } }, stopped.signal)).rejects.toThrow('stopped');
  const { rows } = await api.ctx.db.pool.query(
    `select count(*)::int as runs from automation_runs where automation_id like 'aut_load%' and status = 'pending'`,
  );
  expect(rows[0]?.runs).toBeGreaterThan(0);
  await deleteMany();
}, 60_000);

test('a change keeps the time of a schedule that stays, also if it is due already', async () => {
  const id = await create({});
  const due = new Date(now.getTime() - minuteMs);
  await dueAt(id, due);
  const dueTimes = async () => {
    const { rows } = await api.ctx.db.pool.query(
      `select due_at from automation_triggers where automation_id = $1 and type = 'schedule'`,
      [id],
    );
    return rows.map(({ due_at }) => due_at);
  };
  const change = (body: object) => api.call('PATCH', `${org}/automations/${id}`, { body });
  const { triggers } = (await api.call('GET', `${org}/automations/${id}`)).json;
  const [schedule] = Array.isArray(triggers) ? triggers : [];
  await change({ triggers: [schedule, { type: 'push' }] });
  expect(await dueTimes()).toEqual([due]);
  await change({ triggers: [{ ...schedule, cron: '5 * * * *' }] });
  const [later] = await dueTimes();
  expect(later.getTime()).toBeGreaterThan(Date.now());
  await change({ enabled: false });
  expect(await dueTimes()).toEqual([null]);
  await stop(id);
});

test('a raised shortest interval holds for a schedule that there is already', async () => {
  const id = await create({ concurrency: 'parallel' });
  const path = `${org}/automations/${id}`;
  const body = { min_interval_minutes: 15 };
  expect((await api.call('PUT', `${org}/settings/automations`, { body })).status).toBe(200);
  for (let minute = 0; minute < 31; minute += 1) {
    now = new Date(now.getTime() + minuteMs);
    await runDue(ctx);
  }
  const { json } = await api.call('GET', `${path}/runs?status=skipped`);
  const { triggers } = (await api.call('GET', path)).json;
  const renamed = await api.call('PATCH', path, { body: { name: 'y', triggers } });
  const changed = await api.call('PATCH', path, { body: { triggers: [{ type: 'schedule', cron: '*/2 * * * *' }] } });
  await api.call('PUT', `${org}/settings/automations`, { body: {} });
  const started = (await runsOf(id)).filter(({ status }) => status === 'pending');
  const minutes = started.map(({ at }) => (Date.parse(at) - Date.parse(started[0]?.at ?? '')) / minuteMs);
  expect(minutes).toEqual([0, 15, 30]);
  const reason = expect.stringContaining('automations.min_interval_minutes');
  expect(json['items']).toMatchObject([{ skip_reason: reason }, { skip_reason: reason }]);
  expect([renamed.status, changed.status, changed.json['error']]).toEqual([200, 400, 'invalid_schedule']);
  await stop(id);
});
