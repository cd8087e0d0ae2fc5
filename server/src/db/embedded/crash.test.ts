import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type Child, eventually, spawnChild } from '../../../test/support/child.ts';
import { prepareData } from '../../../test/support/server.ts';
import { createLog } from '../../lib/log.ts';
import { isAlive } from './processes.ts';
import { startEmbedded } from './start.ts';

const root = mkdtempSync(join(tmpdir(), 'guildhall-crash-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Creates a data directory that was started once and stopped. */
function usedBefore(name: string): string {
  const dataDir = join(root, name);
  prepareData(dataDir);
  return dataDir;
}

function spawnUser(dataDir: string, mode: 'write' | 'disposable'): Child {
  return spawnChild(new URL('../../../test/support/embedded-child.ts', import.meta.url), [dataDir, mode]);
}

/** Returns the highest entry after a new start on the same directory. */
async function lastEntry(dataDir: string): Promise<number> {
  const database = await startEmbedded({ dataDir, log: createLog('silent') });
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  const { rows } = await client.query<{ n: number }>('select max(n) as n from entries');
  await client.end();
  await database.stop();
  return rows[0]?.n ?? 0;
}

test('a killed program leaves no orphan, and the next start has every commit it acknowledged', async () => {
  const dataDir = usedBefore('killed');
  const user = spawnUser(dataDir, 'write');
  const server = await user.number('pid');
  await eventually(() => user.numbers('committed').length > 200, 'the program commits');
  user.process.kill('SIGKILL');
  await user.exited;
  await eventually(() => !isAlive(server), 'the server ends without its program');
  expect(await lastEntry(dataDir)).toBeGreaterThanOrEqual(user.numbers('committed').at(-1) ?? Infinity);
});

test('a start right after the kill waits for the ending server', async () => {
  const dataDir = usedBefore('at-once');
  const user = spawnUser(dataDir, 'write');
  await user.number('committed');
  user.process.kill('SIGKILL');
  await user.exited;
  expect(await lastEntry(dataDir)).toBeGreaterThanOrEqual(user.numbers('committed').at(-1) ?? Infinity);
});

test('a server whose program and watcher were killed is ended by the next start, with nothing lost', async () => {
  const dataDir = usedBefore('left-behind');
  const user = spawnUser(dataDir, 'write');
  const server = await user.number('pid');
  await user.number('committed');
  // One may start another while they are listed.
  await eventually(() => watchersOf(dataDir).map(killAt).length === 0, 'the watchers end');
  user.process.kill('SIGKILL');
  await user.exited;
  expect(isAlive(server)).toBe(true);
  expect(await lastEntry(dataDir)).toBeGreaterThanOrEqual(user.numbers('committed').at(-1) ?? Infinity);
  expect(isAlive(server)).toBe(false);
});

test('program and server killed together lose nothing', async () => {
  const dataDir = usedBefore('both');
  const user = spawnUser(dataDir, 'write');
  const server = await user.number('pid');
  await eventually(() => user.numbers('committed').length > 200, 'the program commits');
  process.kill(server, 'SIGKILL');
  user.process.kill('SIGKILL');
  await user.exited;
  expect(await lastEntry(dataDir)).toBeGreaterThanOrEqual(user.numbers('committed').at(-1) ?? Infinity);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to the whole process group leaves the database up until the program drained',
  async (signal) => {
    const dataDir = usedBefore(signal);
    const user = spawnUser(dataDir, 'write');
    const server = await user.number('pid');
    await user.number('committed');
    process.kill(-Number(user.process.pid), signal);
    expect(await user.number('drained')).toBeGreaterThanOrEqual(user.numbers('committed').length);
    expect(await user.exited).toEqual({ code: 0, stderr: '' });
    expect(isAlive(server)).toBe(false);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  },
);

test.each(['pg_wal', 'base/1', 'global/pg_control'])(
  'a start right after one that was killed at %s of its first start creates the database',
  async (file) => {
    const dataDir = join(root, `first-${file.replace('/', '-')}`);
    const user = spawnUser(dataDir, 'write');
    await eventually(() => existsSync(join(dataDir, 'postgres.initializing', file)), 'the database is being created');
    user.process.kill('SIGKILL');
    await user.exited;
    const database = await startEmbedded({ dataDir, log: createLog('silent') });
    await database.stop();
    expect(readdirSync(dataDir)).not.toContain('postgres.initializing');
  },
);

test('a disposable database is removed when its program is killed', async () => {
  const dataDir = join(root, 'disposable');
  const user = spawnUser(dataDir, 'disposable');
  await user.number('committed');
  user.process.kill('SIGKILL');
  await user.exited;
  await eventually(() => !existsSync(dataDir), 'the directory is removed');
});

/** Returns the shells that watch a server on this data directory, found by the log in their command line. */
function watchersOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => commandLine(pid).includes(`guildhall-postgres\0${dataDir}/`));
}

function killAt(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
