import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { newAutomation, newRun, type TestAutomation } from '../../../../test/support/automations.ts';
import { runningIn, start } from '../../../../test/support/session-states.ts';
import { finish } from '../../sessions/run/run-service.ts';
import { startAutomationRuns } from './jobs.ts';
import { lookAtRun } from './look-service.ts';

const organization = '/v3/organizations/default';
const patience = { timeout: 15_000 };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  startAutomationRuns(api.ctx);
});
afterAll(() => api.close());

function platform(fields: Record<string, unknown> = {}): Promise<TestAutomation> {
  return newAutomation(api, { executor: 'platform', pause_after_failures: 0, ...fields });
}

async function read(id: string): Promise<Record<string, unknown>> {
  return (await api.call('GET', `${organization}/automations/runs/${id}`)).json;
}

async function readAutomation({ id }: TestAutomation): Promise<Record<string, unknown>> {
  return (await api.call('GET', `${organization}/automations/${id}`)).json;
}

async function readSession(id: string): Promise<Record<string, unknown>> {
  return (await api.call('GET', `${organization}/sessions/${id}`)).json;
}

/** Waits for the session of a run's attempt. */
async function sessionOf(id: string, attempt = 1): Promise<string> {
  await expect.poll(() => read(id), patience).toMatchObject({ status: 'running', attempt_no: attempt });
  return String((await read(id))['session_id']);
}

async function fail(sessionId: string): Promise<void> {
  await finish(api.ctx, await runningIn(api, sessionId), {
    status: 'failed',
    status_detail: 'agent_error',
    sandbox_state: 'none',
    error: { code: 'agent_error', message: 'It fell over.' },
    sandboxSeconds: 1,
  });
}

async function complete(sessionId: string): Promise<void> {
  await finish(api.ctx, await runningIn(api, sessionId), {
    status: 'completed',
    status_detail: 'finished',
    sandbox_state: 'none',
    sandboxSeconds: 1,
  });
}

test('a run starts a session of its automation, and succeeds with it', async () => {
  const automation = await platform({ action: { prompt_template: 'Greet {{payload.who}}.' } });
  const { id } = await newRun(api, automation, { payload: { who: 'everybody' } });
  const session = await sessionOf(id);
  expect(await readSession(session)).toMatchObject({
    origin: 'automation',
    automation_id: automation.id,
    title: 'nightly',
    prompt: expect.stringContaining('everybody'),
  });
  await start(api, session);
  await complete(session);
  await expect
    .poll(() => read(id), patience)
    .toMatchObject({
      status: 'succeeded',
      attempt_no: 1,
      fencing_token: 1,
      session_id: session,
      latency_ms: expect.any(Number),
    });
});

test('a failed run is retried with a new session; the automation is paused after too many failures', async () => {
  const retry = { max_attempts: 2, backoff_seconds: 0 };
  const automation = await platform({ retry, pause_after_failures: 1 });
  const { id } = await newRun(api, automation);
  const first = await sessionOf(id);
  await start(api, first);
  await fail(first);
  const second = await sessionOf(id, 2);
  expect(second).not.toBe(first);
  const { json } = await api.call('GET', `${organization}/sessions?automation_run_id=${id}`);
  expect(json['items']).toMatchObject([
    { id: second, automation_run_id: id },
    { id: first, automation_run_id: id },
  ]);
  expect(await readAutomation(automation)).toMatchObject({ status: 'active', consecutive_failures: 0 });
  await start(api, second);
  await fail(second);
  await expect
    .poll(() => read(id), patience)
    .toMatchObject({ status: 'failed', error_class: 'agent_error', error_message: 'It fell over.', fencing_token: 2 });
  expect(await readAutomation(automation)).toMatchObject({ status: 'paused', consecutive_failures: 1 });
});

test('failures degrade an automation until a run succeeds', async () => {
  const automation = await platform({ pause_after_failures: 3 });
  const failing = await newRun(api, automation);
  const first = await sessionOf(failing.id);
  await start(api, first);
  await fail(first);
  await expect
    .poll(() => readAutomation(automation), patience)
    .toMatchObject({ status: 'degraded', consecutive_failures: 1 });
  const good = await newRun(api, automation);
  const second = await sessionOf(good.id);
  await start(api, second);
  await complete(second);
  await expect
    .poll(() => readAutomation(automation), patience)
    .toMatchObject({ status: 'active', consecutive_failures: 0 });
});

test('the timeout counts from the start of work, and ends the session too', async () => {
  const { id } = await newRun(api, await platform({ timeout_minutes: 1 }));
  const deadline = async (): Promise<Date | null> => {
    const { rows } = await api.ctx.db.pool.query<{ at: Date | null }>(
      'select deadline_at as at from automation_runs where id = $1',
      [id],
    );
    return rows[0]?.at ?? null;
  };
  const session = await sessionOf(id);
  expect(await deadline()).toBeNull();
  await start(api, session);
  await expect.poll(deadline, patience).not.toBeNull();
  await api.ctx.db.pool.query("update automation_runs set deadline_at = now() - interval '1 second' where id = $1", [
    id,
  ]);
  await lookAtRun(api.ctx, id);
  expect(await read(id)).toMatchObject({ status: 'timed_out', error_class: 'timeout' });
  await expect.poll(() => readSession(session), patience).toMatchObject({ status: 'canceled' });
});

test('a session that completes just before the watchdog gave it up corrects the run', async () => {
  const { id } = await newRun(api, await platform());
  const session = await sessionOf(id);
  await start(api, session);
  // As the watchdog leaves it, without the job that cancels the session.
  await api.ctx.db.pool.query(
    `update automation_runs set status = 'timed_out', outcome = 'timed_out', by_watchdog = true, ended_at = now(),
       lease_expires_at = null, deadline_at = null where id = $1`,
    [id],
  );
  await complete(session);
  await expect.poll(() => read(id), patience).toMatchObject({ status: 'succeeded', fencing_token: 1 });
});

test('a report by key ends a run, and its session with it', async () => {
  const { id } = await newRun(api, await platform());
  const session = await sessionOf(id);
  const body = { fencing_token: 1, attempt_no: 1, status: 'succeeded', summary: 'Done by hand.' };
  const { status, json } = await api.call('POST', `/automations/runs/${id}/callback`, { body });
  expect([status, json['status']]).toEqual([200, 'succeeded']);
  await expect.poll(() => readSession(session), patience).toMatchObject({ status: 'canceled' });
  expect(await read(id)).toMatchObject({ status: 'succeeded', summary: 'Done by hand.' });
});

test('canceling a run cancels its session, and canceling the session its run', async () => {
  const one = await newRun(api, await platform());
  const session = await sessionOf(one.id);
  const canceled = await api.call('POST', `${organization}/automations/runs/${one.id}/cancel`);
  expect([canceled.status, canceled.json['status']]).toEqual([200, 'canceled']);
  await expect.poll(() => readSession(session), patience).toMatchObject({ status: 'canceled' });
  const other = await newRun(api, await platform());
  await api.call('POST', `${organization}/sessions/${await sessionOf(other.id)}/cancel`);
  await expect.poll(() => read(other.id), patience).toMatchObject({ status: 'canceled' });
  const again = await api.call('POST', `${organization}/automations/runs/${other.id}/retry`);
  expect(again.json).toMatchObject({ status: 'pending', attempt_no: 2 });
  await sessionOf(other.id, 2);
  const early = await api.call('POST', `${organization}/automations/runs/${other.id}/retry`);
  expect([early.status, early.json['error']]).toEqual([409, 'invalid_transition']);
});

test('a session that cannot be created fails the run with the reason', async () => {
  const automation = await platform();
  await api.ctx.db.pool.query(`update automations set action = jsonb_set(action, '{repositories}', $2) where id = $1`, [
    automation.id,
    JSON.stringify([{ provider: '', repo: 'acme/absent', ref: '' }]),
  ]);
  const { id } = await newRun(api, automation);
  await expect
    .poll(() => read(id), patience)
    .toMatchObject({ status: 'failed', error_class: 'repository_not_found', session_id: null, fencing_token: 0 });
});

test('a key of 64 concurrent triggers makes one run', async () => {
  const automation = await platform({ concurrency: 'parallel' });
  const made = await Promise.all(
    Array.from({ length: 64 }, () => newRun(api, automation, { deduplicationKey: 'noon' })),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
  const { json } = await api.call('GET', `${organization}/automations/${automation.id}/runs`);
  expect(json).toMatchObject({ total: 1 });
});

test.each([
  ['skip', ['running', 'skipped', 'skipped']],
  ['queue', ['running', 'pending', 'pending']],
  ['replace', ['canceled', 'canceled', 'running']],
  ['parallel', ['running', 'running', 'running']],
])('concurrency %s', async (concurrency, expected) => {
  const automation = await platform({ concurrency });
  const first = await newRun(api, automation);
  await sessionOf(first.id);
  const others = [await newRun(api, automation), await newRun(api, automation)];
  const statuses = async (): Promise<unknown[]> =>
    Promise.all([first, ...others].map(async ({ id }) => (await read(id))['status']));
  await expect.poll(statuses, patience).toEqual(expected);
  if (concurrency === 'skip')
    expect(await read(others[0]?.id ?? '')).toMatchObject({ skip_reason: expect.stringContaining(first.id) });
  if (concurrency !== 'queue') return;
  const session = await sessionOf(first.id);
  await start(api, session);
  await complete(session);
  await expect.poll(statuses, patience).toEqual(['succeeded', 'running', 'pending']);
});
