import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../../test/support/api.ts';
import { claim, newAutomation, newRun, type ClaimedAttempt } from '../../../../test/support/automations.ts';
import { nextAttemptAt } from './due.ts';
import { lookAtRun } from './look-service.ts';
import { wakePending } from './move.ts';
import { sendRun } from './send-service.ts';

const organization = '/v3/organizations/default';
const times = 12;

let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
});
afterAll(async () => {
  await second.close();
  await api.close();
});

/** Claims as many runs as a race is repeated. */
async function claimMany(): Promise<ClaimedAttempt[]> {
  const automation = await newAutomation(api, { concurrency: 'parallel', pause_after_failures: 0 });
  const runs: ClaimedAttempt[] = [];
  for (let made = 0; made < times; made += 1) {
    await newRun(api, automation);
    runs.push((await claim(api, { automation_ids: [automation.id] })) ?? expect.fail('nothing to claim'));
  }
  return runs;
}

function report({ id, fencing_token, attempt_no, callback_token: key }: ClaimedAttempt, status: string) {
  return second.call('POST', `/automations/runs/${id}/callback`, { key, body: { fencing_token, attempt_no, status } });
}

async function statusOf({ id }: { id: string }): Promise<unknown> {
  return (await api.call('GET', `${organization}/automations/runs/${id}`)).json['status'];
}

/** Returns the outcome of a request: its status if it succeeded, else the error. */
function said({ status, json }: Answer): unknown {
  return status === 200 ? 200 : json['error'];
}

/** Lets the lease of a run expire; the watchdog has not looked yet. */
async function expire({ id }: ClaimedAttempt): Promise<void> {
  const expired = "update automation_runs set lease_expires_at = now() - interval '1 second' where id = $1";
  await api.ctx.db.pool.query(expired, [id]);
}

test('of a cancellation and a success at the same time, one holds and the other learns it', async () => {
  for (const run of await claimMany()) {
    const cancel = api.call('POST', `${organization}/automations/runs/${run.id}/cancel`);
    const [canceled, reported] = await Promise.all([cancel, report(run, 'succeeded')]);
    expect([
      ['canceled', 200, 'run_terminal'],
      ['succeeded', 'invalid_transition', 200],
    ]).toContainEqual([await statusOf(run), said(canceled), said(reported)]);
  }
});

test('of an expiry and a failure at the same time, one holds and the executor learns it', async () => {
  for (const run of await claimMany()) {
    await expire(run);
    const [, reported] = await Promise.all([lookAtRun(api.ctx, run.id), report(run, 'failed')]);
    expect([
      ['timed_out', 'run_terminal'],
      ['failed', 200],
    ]).toContainEqual([await statusOf(run), said(reported)]);
  }
});

test('of an expiry and a success at the same time, the success holds', async () => {
  for (const run of await claimMany()) {
    await expire(run);
    const [, reported] = await Promise.all([lookAtRun(api.ctx, run.id), report(run, 'succeeded')]);
    expect([await statusOf(run), said(reported)]).toEqual(['succeeded', 200]);
  }
});

test('a heartbeat at the expiry renews the lease, or learns that it came too late', async () => {
  for (const run of await claimMany()) {
    await expire(run);
    const [, reported] = await Promise.all([lookAtRun(api.ctx, run.id), report(run, 'running')]);
    expect([
      ['timed_out', 'run_terminal'],
      ['running', 200],
    ]).toContainEqual([await statusOf(run), said(reported)]);
  }
});

test('a run that ten processes look at has one session', async () => {
  const automation = await newAutomation(api, { executor: 'platform' });
  const run = await newRun(api, automation);
  await Promise.all(Array.from({ length: 10 }, (_, at) => lookAtRun((at % 2 === 0 ? api : second).ctx, run.id)));
  const { json } = await api.call('GET', `${organization}/sessions?automation_id=${automation.id}`);
  expect([json['total'], await statusOf(run)]).toEqual([1, 'running']);
});

test('a run that is claimed and sent at the same time starts once', async () => {
  const automation = await newAutomation(api, { concurrency: 'parallel', pause_after_failures: 0 });
  const path = `${organization}/automations/${automation.id}/executor`;
  // Nothing listens there: a hand-out fails the attempt.
  await api.call('POST', path, { body: { url: 'http://10.0.0.1/runs' } });
  for (let made = 0; made < times; made += 1) {
    const run = await newRun(api, automation);
    const sent = sendRun(api.ctx, run.id, new AbortController().signal);
    const [claimed] = await Promise.all([claim(second, { automation_ids: [automation.id] }), sent]);
    expect(await statusOf(run)).toBe(claimed === undefined ? 'failed' : 'running');
    const { json } = await api.call('GET', `${organization}/automations/runs/${run.id}`);
    expect(json['fencing_token']).toBe(1);
  }
});

test.each([
  [1, 3, 60, 60],
  [2, 3, 60, 120],
  [3, 3, 60, undefined],
  [1, 1, 0, undefined],
  [1, 2, 0, 0],
  [9, 10, 3_600, 86_400],
])('after attempt %d of %d with a backoff of %d s the next one comes in %s s', (attempt, most, backoff, seconds) => {
  const now = new Date('2026-11-26T09:00:00Z');
  const at = nextAttemptAt({ max_attempts: most, backoff_seconds: backoff }, attempt, now);
  expect(at === undefined ? undefined : (at.getTime() - now.getTime()) / 1_000).toBe(seconds);
});

test('a new receiver gets all runs that wait, in steps', async () => {
  const automation = await newAutomation(api, { concurrency: 'parallel' });
  const { id } = await newRun(api, automation);
  await api.ctx.db.pool.query(
    `insert into automation_runs (id, org_id, automation_id, status, executor, exclusive, trigger, deduplication_key, created_at)
     select id || '_' || n, org_id, automation_id, status, executor, exclusive, trigger, n::text, created_at
     from automation_runs, generate_series(1, 1100) n where id = $1`,
    [id],
  );
  const path = `/v3/organizations/default/automations/${automation.id}/executor`;
  expect((await api.call('POST', path, { body: { url: 'https://ci.example.com/' } })).status).toBe(200);
  const jobsWith = async (where: string) =>
    (await api.ctx.db.pool.query(`select data from pgboss.job where name = 'automation_run' and ${where}`)).rows;
  const [next] = await jobsWith(`data ->> 'wake' = '${automation.id}'`);
  await api.ctx.db.transaction((trx) => wakePending(api.ctx, trx, automation.id, next?.data.after));
  expect(await jobsWith(`data ->> 'run_id' like '${id}%'`)).toHaveLength(1_101);
});
