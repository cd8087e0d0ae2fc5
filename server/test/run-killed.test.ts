import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './support/api.ts';
import { newAutomation, newRun } from './support/automations.ts';
import { lockTable } from './support/failures.ts';
import { startServerProcess, type ServerProcess } from './support/server.ts';

const runs = '/v3/organizations/default/automations/runs';
const patience = { timeout: 30_000 };

let api: TestApi;
let server: ServerProcess;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  server = await start();
});
afterEach(() => kill(server));

/** Starts another process of the installation. */
function start(): Promise<ServerProcess> {
  const env = { DATABASE_URL: api.connectionString, GUILDHALL_RATE_LIMIT: '0' };
  return startServerProcess(api.ctx.config.data, ['--role', 'api'], env);
}

async function kill({ process, exited }: ServerProcess): Promise<void> {
  process.kill('SIGKILL');
  await exited;
}

/** Claims a new run from the process; returns its id and how to report its success to a process. */
async function claimed() {
  const automation = await newAutomation(api, { retry: { max_attempts: 1 }, pause_after_failures: 0 });
  const { id } = await newRun(api, automation);
  const { json } = await post(server, `${runs}/claim`, api.adminKey, { automation_ids: [automation.id] });
  const { fencing_token, attempt_no, callback_token } = Object(json['run']);
  const body = { fencing_token, attempt_no, status: 'succeeded', summary: 'Done.' };
  return {
    id,
    report: (to: ServerProcess) => post(to, `/automations/runs/${id}/callback`, callback_token, body),
  };
}

async function post({ url }: ServerProcess, path: string, key: string, body: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const json: Record<string, unknown> = JSON.parse(await response.text());
  return { status: response.status, json };
}

/** Returns how a run ended, and how many reports changed it. */
async function endsOf(id: string) {
  const { rows: reports } = await api.ctx.db.pool.query(
    `select action from audit_entries where resource_id = $1 and action = 'run.report'`,
    [id],
  );
  const { json } = await api.call('GET', `${runs}/${id}`);
  return { reports: reports.length, status: json['status'], attempt_no: json['attempt_no'] };
}

test('a report that finds its process killed is retried after the restart, and ends the run once', async () => {
  const run = await claimed();
  await kill(server);
  await expect(run.report(server)).rejects.toThrow('fetch failed');
  server = await start();
  const [first, again] = [await run.report(server), await run.report(server)];
  expect([first.status, first.json['duplicate'], again.status, again.json['duplicate']]).toEqual([
    200,
    false,
    200,
    true,
  ]);
  expect(await endsOf(run.id)).toEqual({ reports: 1, status: 'succeeded', attempt_no: 1 });
});

test('a process killed in the middle of a report leaves the run as it was', async () => {
  const run = await claimed();
  const lock = await lockTable(api.connectionString, 'automation_runs');
  const report = run.report(server).then(
    ({ status }) => status,
    () => 'none',
  );
  const waits = async (): Promise<number> => {
    const { rows } = await api.ctx.db.pool.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_locks where relation = 'automation_runs'::regclass and not granted`,
    );
    return rows[0]?.waiting ?? 0;
  };
  await expect.poll(waits, patience).toBeGreaterThan(0);
  await kill(server);
  expect(await report).toBe('none');
  await lock.release();
  expect(await endsOf(run.id)).toEqual({ reports: 0, status: 'running', attempt_no: 1 });
  server = await start();
  expect((await run.report(server)).json).toMatchObject({ accepted: true, duplicate: false });
  expect(await endsOf(run.id)).toEqual({ reports: 1, status: 'succeeded', attempt_no: 1 });
});

test('a run whose executor and process died is given up after the restart; its late success counts once', async () => {
  const run = await claimed();
  await kill(server);
  // The end of the lease, a minute after the claim.
  await api.ctx.db.pool.query(`update automation_runs set lease_expires_at = now() where id = $1`, [run.id]);
  const moved = await api.ctx.db.pool.query(`update pgboss.job set start_after = now() where singleton_key = $1`, [
    `${run.id}@later`,
  ]);
  expect(moved.rowCount).toBe(1);
  server = await start();
  await expect.poll(async () => (await endsOf(run.id)).status, patience).toBe('timed_out');
  expect((await run.report(server)).json).toMatchObject({ status: 'succeeded', duplicate: false });
  expect((await run.report(server)).json).toMatchObject({ status: 'succeeded', duplicate: true });
});
