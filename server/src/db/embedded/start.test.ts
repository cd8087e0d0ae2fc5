import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { prepareData } from '../../../test/support/server.ts';
import { createLog } from '../../lib/log.ts';
import { findBinaries } from './binaries.ts';
import { isAlive } from './processes.ts';
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './start.ts';

const root = mkdtempSync(join(tmpdir(), 'guildhall-embedded-'));
const started: EmbeddedDatabase[] = [];
afterAll(async () => {
  await Promise.all(started.map((database) => database.stop()));
  rmSync(root, { recursive: true });
});

async function start(options: Omit<EmbeddedOptions, 'log'>): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ log: createLog('silent'), ...options });
  started.push(database);
  return database;
}

/** Creates a data directory that was started once and stopped. */
function usedBefore(name: string): string {
  const dataDir = join(root, name);
  prepareData(dataDir);
  return dataDir;
}

async function query(database: EmbeddedDatabase, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}

test('the first start creates a durable UTF-8 database that only this user reaches, a later one finds its data', async () => {
  const dataDir = join(root, 'first');
  const first = await start({ dataDir, settings: { work_mem: '5MB' } });
  await query(first, `create table notes as select 'ünï' as text`);
  // One call after a crash, in place of one for each of 2,000 files.
  const sync = 'recovery_init_sync_method';
  const settings = ['server_encoding', 'data_checksums', 'fsync', 'listen_addresses', 'TimeZone', 'work_mem', sync];
  expect(await query(first, `select ${settings.map((name) => `current_setting('${name}')`).join(', ')}`)).toEqual([
    'UTF8',
    'on',
    'on',
    '',
    'UTC',
    '5MB',
    'syncfs',
  ]);
  expect(statSync(join(dataDir, 'postgres-socket')).mode & 0o777).toBe(0o700);
  await first.stop();
  expect(isAlive(first.pid())).toBe(false);
  expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toContain('database system is shut down');

  const second = await start({ dataDir });
  expect(await query(second, 'select text from notes')).toEqual(['ünï']);
  await second.stop();
});

test('a second start on one data directory is refused and leaves the first alone', async () => {
  const dataDir = usedBefore('twice');
  const first = await start({ dataDir });
  await expect(start({ dataDir })).rejects.toThrow(
    `The database in ${dataDir} is in use by another Guildhall (process ${process.pid}).`,
  );
  expect(await query(first, 'select 1')).toEqual([1]);
  await first.stop();
});

test('a server that is killed is started again with what was committed', async () => {
  const database = await start({ dataDir: usedBefore('crash') });
  await query(database, 'create table notes as select 7 as n');
  const before = database.pid();
  process.kill(before, 'SIGKILL');
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = setInterval(() => database.pid() !== before && resolve(), 10);
  await promise;
  clearInterval(check);
  expect(await query(database, 'select n from notes')).toEqual([7]);
  await database.stop();
});

test('a pid file that names some other live process does not stop the start', async () => {
  const dataDir = usedBefore('reused');
  writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n${dataDir}/postgres\n`);
  mkdirSync(join(dataDir, 'postgres-socket'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres-socket', '.s.PGSQL.5432.lock'), `${process.pid}\n`);
  const second = await start({ dataDir });
  expect(await query(second, 'select 1')).toEqual([1]);
  await second.stop();
});

test.each([
  ['longer than a socket path may be', 'x'.repeat(120)],
  ['with a space, a comma, quotes and a percent sign', `a b,c'd"e%2F`],
])('a data directory %s works', async (_, name) => {
  const database = await start({ dataDir: usedBefore(name) });
  expect(await query(database, 'select current_database()')).toEqual(['guildhall']);
  await database.stop();
});

test('a start that is given up leaves no process, no lock and no half-made database', async () => {
  const dataDir = join(root, 'aborted');
  const stopping = new AbortController();
  const starting = start({ dataDir, signal: stopping.signal });
  stopping.abort(new Error('stop asked for'));
  await expect(starting).rejects.toThrow('stop asked for');
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  const database = await start({ dataDir });
  expect(await query(database, 'select 1')).toEqual([1]);
  await database.stop();
});

test('files of another PostgreSQL version, and a server that cannot start, are reported with their reason', async () => {
  const dataDir = usedBefore('broken');
  await expect(start({ dataDir, settings: { shared_buffers: 'much' } })).rejects.toThrow(
    /does not start:[^]*invalid value for parameter "shared_buffers"/,
  );
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await expect(start({ dataDir })).rejects.toThrow('was made by PostgreSQL 17 and this program brings 18');
});

test('a disposable database removes its directory when it is stopped', async () => {
  const dataDir = join(root, 'disposable');
  const database = await start({ dataDir, disposable: true });
  expect(readdirSync(dataDir)).toContain('postgres');
  await database.stop();
  expect(existsSync(dataDir)).toBe(false);
});

test("libraries' links that npm did not make are made at the start", () => {
  // Not a file that the server loads, because other servers of this machine use the same files.
  const link = join(dirname(dirname(findBinaries().postgres)), 'lib', 'libecpg_compat.so');
  rmSync(link);
  findBinaries();
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

test('as root without user namespaces it runs as an unprivileged user, also at the next start (optional)', async (context) => {
  if (process.getuid?.() !== 0 || !reachableByOthers(findBinaries().postgres)) {
    context.skip('needs root, and a checkout that other users may read');
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'guildhall-as-user-'));
  const first = await start({ dataDir, asRoot: 'user' });
  const { uid } = statSync(join(dataDir, 'postgres'));
  expect(uid).not.toBe(0);
  expect(readFileSync(`/proc/${first.pid()}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\b`, 'm'));
  await first.stop();
  const second = await start({ dataDir });
  expect(await query(second, 'select 1')).toEqual([1]);
  await second.stop();
  rmSync(dataDir, { recursive: true });
});

function reachableByOthers(path: string): boolean {
  try {
    execFileSync('test', ['-x', path], { uid: 65_534, gid: 65_534, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
