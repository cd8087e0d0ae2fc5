import { join } from 'node:path';
import { startEmbedded } from '../../server/src/db/embedded/start.ts';
import { openDatabase, type Database } from '../../server/src/db/pool.ts';
import { claimNext } from '../../server/src/features/sessions/run/run-service.ts';
import { systemClock } from '../../server/src/lib/clock.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { flood } from '../../server/test/support/flood.ts';
import { spreadOf, type Spread } from './agents-figures.ts';
import { cpuOf } from './agents-processes.ts';
import { startProgram } from './processes.ts';

export interface QueueFigures {
  claims: {
    organizations: number;
    queued: number;
    /** Of one claim. */
    ms: Spread;
    /** Milliseconds of CPU of one claim, in this process and in PostgreSQL. */
    cpuMs: { client: number; postgres: number };
  }[];
  /** Of a flood of one organization: its sessions that begin between two of another one with none running. */
  longestWait: number;
}

interface Options {
  directory: string;
  isQuick: boolean;
  say: (line: string) => void;
}

/** Numbers of organizations and of queued sessions of all of them. */
const quickSizes = [
  [1, 500],
  [1, 10_000],
] as const;
const sizes = [...quickSizes, [1, 100_000], [100, 100_000], [1_000, 100_000]] as const;

/** Claims sessions of queues of several lengths, one after the other. */
export async function benchQueue({ directory, isQuick, say }: Options): Promise<QueueFigures> {
  const embedded = await startEmbedded({ dataDir: join(directory, 'queue-database'), log: createLog('warn') });
  const { connectionString } = embedded;
  const db = openDatabase({ connectionString, maxConnections: 4, applicationName: 'bench', statementTimeoutMs: 0 });
  try {
    // It migrates the database, and creates an organization with its agents.
    const api = await startProgram(
      'server/src/main.ts',
      ['--role', 'api', '--port', '0', '--data', join(directory, 'queue'), '--json'],
      { DATABASE_URL: connectionString },
      join(directory, 'queue.log'),
    );
    await api.stop();
    const ids = await organizations(db, isQuick ? 2 : 1_000);
    const claims: QueueFigures['claims'] = [];
    for (const [count, queued] of isQuick ? quickSizes : sizes) {
      say(`${queued.toLocaleString('en')} queued sessions of ${count.toLocaleString('en')} organizations`);
      claims.push(await measure(db, ids.slice(0, count), queued, isQuick ? 50 : 300));
    }
    return { claims, longestWait: await measureFairness(db, ids, isQuick ? 10_000 : 100_000) };
  } finally {
    await db.close();
    await embedded.stop();
  }
}

async function measure(db: Database, orgIds: readonly string[], queued: number, count: number) {
  await queue(db, orgIds, queued);
  // The first ones warm the connections and the plans.
  await claimMany(db, 20);
  const before = { client: process.cpuUsage(), postgres: cpuOf(process.pid).postgres };
  const { times } = await claimMany(db, count);
  const used = process.cpuUsage(before.client);
  const postgres = (cpuOf(process.pid).postgres - before.postgres) / count;
  const client = (used.user + used.system) / 1_000 / count;
  return { organizations: orgIds.length, queued, ms: spreadOf(times), cpuMs: { client, postgres } };
}

/** Creates organizations that only have sessions. */
async function organizations(db: Database, count: number): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `insert into organizations (id, slug, name) select 'org_bench_' || lpad(n::text, 6, '0'), 'bench-' || n, 'Bench'
     from generate_series(1, $1::int) n returning id`,
    [count],
  );
  const ids = rows.map(({ id }) => id);
  await db.pool.query(
    `insert into agents select (jsonb_populate_record(a, jsonb_build_object('id', 'agt_' || o.id, 'org_id', o.id))).*
     from agents a, unnest($1::text[]) o (id) where a.id = (select min(id) from agents)`,
    [ids],
  );
  return ids;
}

async function queue(db: Database, orgIds: readonly string[], queued: number): Promise<void> {
  await db.pool.query('truncate sessions, session_queues, organization_turns cascade');
  await flood(db, orgIds, queued / orgIds.length);
  await db.pool.query('vacuum analyze sessions');
}

async function claimMany(db: Database, count: number): Promise<{ times: number[]; order: string[] }> {
  const times: number[] = [];
  const order: string[] = [];
  while (order.length < count) {
    const begun = performance.now();
    const run = await claimNext({ db, clock: systemClock }, 'bench');
    if (run === undefined) throw new Error('nothing was claimed');
    times.push(performance.now() - begun);
    order.push(run.orgId);
  }
  return { times, order };
}

async function measureFairness(db: Database, [flooding = '', other = '']: readonly string[], queued: number) {
  await queue(db, [flooding], queued);
  await flood(db, [other], 50);
  const { order } = await claimMany(db, 100);
  let [longest, wait] = [0, 0];
  for (const orgId of order) {
    wait = orgId === other ? 0 : wait + 1;
    longest = Math.max(longest, wait);
  }
  return longest;
}
