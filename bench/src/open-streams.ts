import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbedded } from '../../server/src/db/embedded/start.ts';
import { openDatabase, type Database } from '../../server/src/db/pool.ts';
import { append, claim, type ClaimedRun } from '../../server/src/features/sessions/run/run-service.ts';
import { systemClock } from '../../server/src/lib/clock.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { flood } from '../../server/test/support/flood.ts';
import type { Spread } from './agents-figures.ts';
import { cpuOf, cpuOfOne } from './agents-processes.ts';
import { memoryMib, startProgram, type Started } from './processes.ts';

/** In a second: milliseconds of CPU, and transactions of PostgreSQL. */
interface Used {
  serverMs: number;
  postgresMs: number;
  transactions: number;
}

export interface OpenStreamFigures {
  streams: number;
  sessions: number;
  /** Until all were open. */
  openSeconds: number;
  perStreamKib: number;
  /** While nothing happens. */
  idle: Used;
  /** In a second, while sessions append. */
  busy: { serverMs: number; appends: number; arrived: number };
  /** From the event to its arrival. */
  arrivalMs: Spread;
  missing: number;
  lost: number;
}

interface Options {
  directory: string;
  isQuick: boolean;
  say: (line: string) => void;
}

const streamsOfSession = 5;
/** The time until the first heartbeats. */
const settleMs = 15_000;
const idleSeconds = 45;
const busySeconds = 20;
/** A session appends so often, and so many events each time. */
const [appendEveryMs, eventsAtOnce] = [10, 2];

/** Holds many streams of sessions open at one process, first in silence and then while sessions append. */
export async function benchOpenStreams({ directory, isQuick, say }: Options): Promise<OpenStreamFigures> {
  const data = mkdtempSync(join(directory, 'open-streams-'));
  const embedded = await startEmbedded({ dataDir: join(data, 'database'), log: createLog('warn') });
  const { connectionString } = embedded;
  const db = openDatabase({ connectionString, maxConnections: 4, applicationName: 'bench' });
  const server = await startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    { DATABASE_URL: connectionString, GUILDHALL_RATE_LIMIT: '0', GUILDHALL_LOG_LEVEL: 'warn' },
    join(directory, 'open-streams.log'),
  );
  try {
    return await measure({ db, server, data, streams: isQuick ? 1_000 : 10_000, say });
  } finally {
    await server.stop();
    await db.close();
    await embedded.stop();
  }
}

interface Measured {
  db: Database;
  server: Started;
  data: string;
  streams: number;
  say: (line: string) => void;
}

async function measure({ db, server, data, streams, say }: Measured): Promise<OpenStreamFigures> {
  const runs = await startRuns(db, streams / streamsOfSession);
  const [idsFile, resultFile] = [join(data, 'ids'), join(data, 'result.json')];
  writeFileSync(idsFile, runs.map(({ id }) => id).join('\n'));
  const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
  const emptyMib = memoryMib(server.pid);
  say(`opening ${streams.toLocaleString('en')} streams`);
  const client = await startProgram(
    'bench/src/open-streams-client.ts',
    [String(server.ready['url']), key, idsFile, String(streams), resultFile],
    {},
    join(data, 'client.log'),
  );
  say('silence');
  await delay(settleMs);
  const idle = await perSecond(db, server, () => delay(idleSeconds * 1_000));
  const perStreamKib = ((memoryMib(server.pid) - emptyMib) * 1_024) / streams;
  say('events');
  let appends = 0;
  const busy = await perSecond(db, server, async () => (appends = await appendAll(db, runs)));
  await delay(3_000);
  await client.stop();
  const result: unknown = JSON.parse(readFileSync(resultFile, 'utf8'));
  const { arrived, ms, lost }: { arrived: number; ms: Spread; lost: number } = Object(result);
  return {
    streams,
    sessions: runs.length,
    openSeconds: Number(client.ready['seconds']),
    perStreamKib,
    idle,
    busy: { serverMs: busy.serverMs, appends: appends / busySeconds, arrived: arrived / busySeconds },
    arrivalMs: ms,
    missing: appends * eventsAtOnce * streamsOfSession - arrived,
    lost,
  };
}

/** Returns what a server used meanwhile. */
async function perSecond(db: Database, server: Started, work: () => Promise<unknown>): Promise<Used> {
  const read = async () => ({
    at: performance.now(),
    server: cpuOfOne(server.pid),
    postgres: cpuOf(process.pid).postgres,
    transactions: await transactionsOf(db),
  });
  const before = await read();
  await work();
  const after = await read();
  const seconds = (after.at - before.at) / 1_000;
  return {
    serverMs: (after.server - before.server) / seconds,
    postgresMs: (after.postgres - before.postgres) / seconds,
    transactions: (after.transactions - before.transactions) / seconds,
  };
}

/** Creates sessions that this process holds as a worker does. */
async function startRuns(db: Database, count: number): Promise<ClaimedRun[]> {
  const { rows: organizations } = await db.pool.query<{ id: string }>(
    "select id from organizations where slug = 'default'",
  );
  await flood(
    db,
    organizations.map(({ id }) => id),
    count,
  );
  const { rows } = await db.pool.query<{ id: string }>('select id from sessions');
  const runs: ClaimedRun[] = [];
  for (const { id } of rows) {
    const run = await claim({ db, clock: systemClock }, id, 'bench', { leaseMs: 3_600_000 });
    if (run === undefined) throw new Error('a session could not be claimed');
    runs.push(run);
  }
  return runs;
}

/** Appends to one session after the other at a steady pace; returns how often. */
async function appendAll(db: Database, runs: readonly ClaimedRun[]): Promise<number> {
  const events = Array.from({ length: eventsAtOnce }, (_, index) => ({
    kind: 'output' as const,
    data: { command_id: 'c1', call_id: '', stream: 'stdout' as const, text: `line ${index} of what a test prints\n` },
  }));
  let appends = 0;
  const begun = performance.now();
  while (performance.now() - begun < busySeconds * 1_000) {
    const run = runs[(appends * 7) % runs.length];
    if (run !== undefined) await append({ db, clock: systemClock }, run, events);
    appends += 1;
    await delay(Math.max(0, begun + appends * appendEveryMs - performance.now()));
  }
  return appends;
}

async function transactionsOf(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    'select xact_commit::float8 as count from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.count ?? 0;
}
