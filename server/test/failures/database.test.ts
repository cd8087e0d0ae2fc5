import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmbedded, type EmbeddedDatabase } from '../../src/db/embedded/start.ts';
import { createLog } from '../../src/lib/log.ts';
import { printedBy, told } from '../support/failures.ts';
import { prepareData } from '../support/server.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent, type TestSession } from '../support/sessions.ts';

let directory: string;
let database: EmbeddedDatabase;
let fixture: RuntimeFixture;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guildhall-postgres-'));
  prepareData(directory);
  // A separate server, because this one uses fsync and is killed.
  database = await startEmbedded({ dataDir: directory, log: createLog('silent') });
  fixture = await createRuntimeFixture({ DATABASE_URL: database.connectionString });
  await fixture.startWorker({ slots: 4 });
});

afterAll(async () => {
  await fixture.close();
  await database.stop();
  await rm(directory, { recursive: true, force: true });
});

const steps = [
  { run: 'echo one >> answer; echo first step' },
  { run: 'for i in $(seq 1 40); do echo "line $i"; echo $i >> lines; sleep 0.1; done; echo 42 >> answer' },
];

describe('a PostgreSQL that is killed under load', () => {
  let sessions: TestSession[];
  const before = new Map<string, TestEvent[]>();
  const acknowledged: string[] = [];
  let kills = 0;

  /** Creates agents one after the other until the signal aborts, and collects the confirmed ones. */
  async function write(signal: AbortSignal): Promise<void> {
    for (let number = 0; !signal.aborted; number += 1) {
      const body = { name: `load ${number}`, runtime: 'script', runtime_config: { steps, summary: '' } };
      const { status, json } = await fixture.api.call('POST', '/agents', { body });
      if (status === 201) acknowledged.push(String(json['id']));
    }
  }

  async function kill(): Promise<void> {
    const pid = database.pid();
    process.kill(pid, 'SIGKILL');
    await fixture.until(
      async () => (database.pid() !== pid && (await answers()) ? true : undefined),
      'the database answers again',
    );
    kills += 1;
  }

  async function answers(): Promise<boolean> {
    return fixture.api.ctx.db.pool.query('select 1').then(
      () => true,
      () => false,
    );
  }

  beforeAll(async () => {
    const loading = new AbortController();
    sessions = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const repository = await fixture.repository({ answer: '41\n' });
        return fixture.create({ repository, agent: { steps, summary: '' }, verify_command: 'grep -q 42 answer' });
      }),
    );
    const load = Promise.all([write(loading.signal), write(loading.signal)]);
    for (const { id } of sessions) await fixture.event(id, ({ data }) => String(data['text']).includes('line 5\n'));
    for (const { id } of sessions) await fixture.event(id, ({ kind }) => kind === 'checkpoint');
    for (const { id } of sessions) before.set(id, await fixture.events(id));
    await kill();
    loading.abort();
    await load;
    sessions = await Promise.all(sessions.map(({ id }) => fixture.reaches(id, 'completed', 'failed')));
  });

  test('costs no session its end', async () => {
    expect(kills).toBe(1);
    for (const session of sessions) {
      const lines = told(await fixture.events(session.id));
      expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', verification: 'fixed' });
      expect(lines.at(-1)).toBe('completed finished');
      // Its worker and its sandbox survived.
      expect(session.attempt_no).toBe(1);
      for (const line of lines.filter((one) => one.startsWith('warning') || one.startsWith('error')))
        expect(line).toMatch(/^warning database_unavailable: The worker could not reach the database for \d+ s\./);
    }
  });

  test('costs nothing that was confirmed: no event, no checkpoint, no write of a person', async () => {
    expect(acknowledged.length).toBeGreaterThan(10);
    for (const id of acknowledged) expect((await fixture.api.call('GET', `/agents/${id}`)).status).toBe(200);
    for (const { id } of sessions) {
      const events = await fixture.events(id);
      const seen = before.get(id) ?? [];
      expect(seen.some(({ kind }) => kind === 'checkpoint')).toBe(true);
      expect(events.slice(0, seen.length)).toEqual(seen);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(printedBy(events).match(/first step/g)).toHaveLength(1);
    }
  });

  test('leaves one change request of each session, with its work', async () => {
    for (const { change_requests: requests, repositories } of sessions) {
      expect(requests).toHaveLength(1);
      const repo = repositories[0]?.repo ?? '';
      const cloneUrl = `${fixture.api.url}/git/default/${repo}.git`;
      const clone = await fixture.clone({ id: '', repo, cloneUrl }, repositories[0]?.branch ?? '');
      expect(await readFile(join(clone, 'answer'), 'utf8')).toMatch(/^41\none\n(42\n)+$/);
    }
  });
});

describe('a PostgreSQL that turns into a standby for some seconds', () => {
  async function setReadOnly(value: 'on' | 'off'): Promise<void> {
    const client = new Client({ connectionString: database.connectionString, options: '-c transaction_read_only=off' });
    await client.connect();
    await client.query(`alter system set default_transaction_read_only = ${value}`);
    await client.query('select pg_reload_conf()');
    await client.end();
  }

  test('is unavailable to requests and load balancers, and fails no session', async () => {
    const { id } = await fixture.create({ agent: { steps: [{ run: 'sleep 1; echo late | tee file' }], summary: '' } });
    await fixture.event(id, ({ kind }) => kind === 'command');
    await setReadOnly('on');
    const agent = { name: 'refused', runtime: 'script', runtime_config: { steps, summary: '' } };
    await expect
      .poll(() => fixture.api.call('POST', '/agents', { body: agent }), { timeout: 5_000 })
      .toMatchObject({ status: 503, json: { error: 'capacity_unavailable' } });
    expect(await fixture.api.call('GET', '/readyz')).toMatchObject({ status: 503, json: { database: 'read_only' } });
    await delay(2_000);
    await setReadOnly('off');
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    expect(printedBy(await fixture.events(id))).toContain('late');
  });
});

test('a PostgreSQL whose disk is full is unavailable until it has space', async () => {
  const { pool } = fixture.api.ctx.db;
  // As PostgreSQL reports it; filling a disk would end its other users.
  await pool.query(
    `create function disk_is_full() returns trigger language plpgsql as
     $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
     create trigger disk_is_full before insert on agents execute function disk_is_full()`,
  );
  const body = { name: 'large', runtime: 'script', runtime_config: { steps, summary: '' } };
  expect(await fixture.api.call('POST', '/agents', { body })).toMatchObject({
    status: 503,
    json: { error: 'capacity_unavailable' },
  });
  await pool.query('drop function disk_is_full cascade');
  expect((await fixture.api.call('POST', '/agents', { body })).status).toBe(201);
});
