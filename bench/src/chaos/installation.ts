import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type Client } from '@guildhall/client';
import { createBubblewrapDriver } from '../../../server/src/adapters/sandbox/bubblewrap/driver.ts';
import { createLog, type Log } from '../../../server/src/lib/log.ts';
import { findLeftovers } from './leftovers.ts';
import { startMember, type Member } from './member.ts';
import { startPostgres, type Postgres } from './postgres.ts';

const workerNames = ['worker-1', 'worker-2'] as const;

export interface InstallationOptions {
  directory: string;
  /** Maximum number of concurrent sessions of a worker. */
  slots: number;
  /** Milliseconds that a killed process stays down. */
  pauseMs: () => number;
  /** Added to the environment of all processes. */
  env: Record<string, string>;
}

/** One PostgreSQL, one API process and two workers, which share only the database, blobs and the key ring. */
export interface Installation {
  readonly directory: string;
  readonly url: string;
  readonly key: string;
  readonly client: Client;
  readonly postgres: Postgres;
  readonly api: Member;
  readonly workers: readonly Member[];
  /** The directory of blobs. */
  readonly blobs: string;
  /** Stops everything and removes files outside of the directory; returns the leftovers. */
  stop(): Promise<string[]>;
  /** Kills the processes at once, when there is no time for a clean end. */
  abandon(): void;
}

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { directory } = options;
  mkdirSync(directory, { recursive: true });
  const log = createLog('info', openSync(join(directory, 'harness.log'), 'a'));
  const postgres = await startPostgres(join(directory, 'database'), log);
  const members: Member[] = [];
  const stop = () => stopAll(directory, members, postgres, log);
  try {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const start = (name: string, args: string[]): Member => {
      const member = startMember(memberOptions(options, { name, args, url, databaseUrl: postgres.url }));
      members.push(member);
      return member;
    };
    const api = start('api', ['--role', 'api', '--port', String(port)]);
    await readyWithin(api);
    const key = readFileSync(join(directory, 'api/admin-key'), 'utf8').trim();
    const workers = workerNames.map((name) => start(name, ['--role', 'worker']));
    await Promise.all(workers.map(readyWithin));
    const client = createClient({ baseUrl: url, key, organization: 'default' });
    const abandon = (): void => members.forEach((member) => member.abandon());
    return { directory, url, key, client, postgres, api, workers, blobs: join(directory, 'blobs'), stop, abandon };
  } catch (error) {
    await stop();
    throw error;
  }
}

function memberOptions(
  { directory, slots, pauseMs, env }: InstallationOptions,
  { name, args, url, databaseUrl }: { name: string; args: string[]; url: string; databaseUrl: string },
) {
  return {
    name,
    args: [...args, '--data', join(directory, name)],
    logFile: join(directory, `${name}.log`),
    pauseMs,
    env: {
      DATABASE_URL: databaseUrl,
      GUILDHALL_URL: url,
      GUILDHALL_BLOBS: join(directory, 'blobs'),
      GUILDHALL_KEY_RING: join(directory, 'key-ring'),
      GUILDHALL_SLOTS: String(slots),
      // Two dozen clients share one key, and the rate limit is not under test here.
      GUILDHALL_RATE_LIMIT: '0',
      GUILDHALL_LOG_LEVEL: 'info',
      ...env,
    },
  };
}

async function readyWithin(member: Member): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${member.name} was not ready within 60 s.`)), 60_000);
  try {
    await Promise.race([member.ready(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function stopAll(directory: string, members: Member[], postgres: Postgres, log: Log): Promise<string[]> {
  const workers = members.filter(({ name }) => name !== 'api');
  await Promise.all(workers.map((member) => member.stop()));
  await Promise.all(members.map((member) => member.stop()));
  const data = workerNames.map((name) => join(directory, name));
  // The next worker removes the leftovers of a killed one; the last ones have no successor.
  for (const root of data.map((path) => join(path, 'sandboxes')))
    await createBubblewrapDriver({ root, log, path: process.env['PATH'] ?? '' }).sweep();
  await postgres.stop();
  for (let tries = 1; ; tries += 1) {
    const left = findLeftovers(directory, data);
    if (left.length === 0 || tries === 50) return left;
    await delay(100);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
