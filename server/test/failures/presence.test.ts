import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbedded, type EmbeddedDatabase } from '../../src/db/embedded/start.ts';
import { createLog } from '../../src/lib/log.ts';
import { startWorkerProcess, told, type WorkerProcess } from '../support/failures.ts';
import { prepareData } from '../support/server.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent, type TestSession } from '../support/sessions.ts';

/** The least that is left of a lease when its worker is killed: it lasts 10 s and is renewed every 3 s. */
const leaseLeftMs = 7_000;

let directory: string;
let database: EmbeddedDatabase;
let fixture: RuntimeFixture;
let workers: WorkerProcess[];
let sessions: TestSession[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guildhall-postgres-'));
  prepareData(directory);
  // A separate server, because this one is killed.
  database = await startEmbedded({ dataDir: directory, log: createLog('silent') });
  fixture = await createRuntimeFixture({ DATABASE_URL: database.connectionString });
  workers = await Promise.all(
    [1, 2].map(() => startWorkerProcess(fixture.api, fixture.api.url, { GUILDHALL_SLOTS: '4' })),
  );
  const wait = 'echo here; until git ls-remote --exit-code origin refs/heads/go >/dev/null 2>&1; do sleep 1; done';
  const agent = { steps: [{ run: `${wait}; echo 42 >> answer` }], summary: '' };
  sessions = await Promise.all(
    [1, 2, 3, 4].map(async () => fixture.create({ repository: await fixture.repository({ answer: '41\n' }), agent })),
  );
  const isHere = ({ kind, data }: TestEvent): boolean => kind === 'output' && String(data['text']).includes('here');
  for (const { id } of sessions) await fixture.event(id, isHere);
  await fixture.until(async () => ((await listed()) === 2 ? true : undefined), 'both workers are listed');
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  await fixture.close();
  await database.stop();
  await rm(directory, { recursive: true, force: true });
});

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await fixture.api.ctx.db.pool.query<Row>(text, values)).rows;
}

async function listed(): Promise<number> {
  return (await query('select from worker_presence')).length;
}

/** Stops both workers for moments of up to 1.5 s, `times` each. */
async function pause(times: number): Promise<void> {
  const each = workers.map(async ({ process }, index) => {
    for (let time = 1; time <= times; time += 1) {
      process.kill('SIGSTOP');
      await delay(((time * 7 + index * 3) % 15) * 100 + 50);
      process.kill('SIGCONT');
      await delay(100);
    }
  });
  await Promise.all(each);
}

/** Kills the database's processes; resolves when it answers again. */
async function killDatabase(): Promise<void> {
  const pid = database.pid();
  process.kill(pid, 'SIGKILL');
  const isBack = async (): Promise<true | undefined> =>
    (database.pid() !== pid && (await query('select 1').catch(() => undefined)) !== undefined) || undefined;
  await fixture.until(isBack, 'the database answers again');
}

async function expectNobodyGone(): Promise<void> {
  expect(await query('select id from workers where gone_at is not null')).toEqual([]);
  const attempts = await query<{ attempt_no: number }>('select attempt_no from sessions');
  expect(attempts.map(({ attempt_no: attempt }) => attempt)).toEqual([1, 1, 1, 1]);
}

/** Returns the sessions of a worker. Leases name it `<host>-<pid>-<six hexadecimal digits>`. */
async function sessionsOf({ process }: WorkerProcess): Promise<{ id: string }[]> {
  return query('select id from sessions where lease_owner like $1', [`%-${process.pid}-%`]);
}

test('a worker that is stopped for moments keeps its sessions', async () => {
  await pause(10);
  await expectNobodyGone();
});

test('a worker whose connections the database ends keeps its sessions', async () => {
  for (const limit of [1, 100, 100]) {
    await query(
      `select pg_terminate_backend(pid) from (
         select pid from pg_stat_activity where pid <> pg_backend_pid() and application_name like 'guildhall%'
         order by application_name <> 'guildhall presence' limit $1) connections`,
      [limit],
    );
    await delay(2_000);
    await fixture.until(async () => ((await listed()) === 2 ? true : undefined), 'both workers are listed again');
  }
  await expectNobodyGone();
});

test('workers keep their sessions over a crash of the database, also while they are stopped', async () => {
  await Promise.all([pause(5), killDatabase()]);
  await fixture.until(async () => ((await listed()) === 2 ? true : undefined), 'both workers are listed again');
  await delay(1_500);
  await expectNobodyGone();
});

test('the sessions of a killed worker go on before their leases expire, and all end', async () => {
  const [first, second] = await Promise.all(workers.map(sessionsOf));
  const isFirst = (first?.length ?? 0) > 0;
  const [victim, owned = []] = isFirst ? [workers[0], first] : [workers[1], second];
  // The other one has been connected for longer than a lease.
  await delay(10_000);
  const killedAt = Date.now();
  victim?.process.kill('SIGKILL');
  for (const { id } of owned) {
    const again = await fixture.event(id, ({ attempt_no: attempt }) => attempt === 2);
    expect(Date.parse(again.created_at) - killedAt).toBeLessThan(leaseLeftMs);
  }
  for (const { repositories } of sessions) {
    const repo = repositories[0]?.repo ?? '';
    const clone = await fixture.clone({ id: '', repo, cloneUrl: `${fixture.api.url}/git/default/${repo}.git` }, 'main');
    await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/go');
  }
  for (const { id } of sessions) {
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      attempt_no: owned.some((one) => one.id === id) ? 2 : 1,
    });
    const lost = told(await fixture.events(id)).filter((line) => line.includes('worker_lost'));
    expect(lost).toHaveLength(owned.some((one) => one.id === id) ? 1 : 0);
  }
});
