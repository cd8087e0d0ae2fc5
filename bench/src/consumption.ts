import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../server/src/db/pool.ts';
import { rebuildRollups } from '../../server/src/features/consumption/rollup-service.ts';
import { rollUpAll } from '../../server/test/support/rollups.ts';
import { spreadOf, type Spread } from './agents-figures.ts';
import { costsOf, digestOf, seedLedgers, type Extent } from './consumption-data.ts';
import { startProgram } from './processes.ts';
import { seedSessions } from './seed.ts';

export interface ConsumptionFigures {
  sessions: number;
  records: number;
  /** In seconds: adding all rows of the ledgers to the rollups, batch by batch, and computing them again. */
  addedSeconds: number;
  rebuiltSeconds: number;
  /** True if every rollup is the same after the rebuild, and its costs are those of the ledger. */
  isEqual: boolean;
  costUsd: string;
  /** The size of the database. */
  sizeBytes: number;
  latency: { path: string; bytes: number; ms: Spread }[];
}

const chunk = 20_000;

/** Fills the ledgers of an organization, keeps its rollups, computes them again, and requests what they are for. */
export async function benchConsumption(options: {
  connectionString: string;
  directory: string;
  sessions: number;
  callsPerSession: number;
  /** Requests of each kind. */
  timed: number;
  say: (line: string) => void;
}): Promise<ConsumptionFigures> {
  const { connectionString, directory, sessions, callsPerSession, timed, say } = options;
  const data = mkdtempSync(join(directory, 'consumption-'));
  const env = { DATABASE_URL: connectionString, GUILDHALL_RATE_LIMIT: '0' };
  const api = await startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    env,
    join(directory, 'consumption.log'),
  );
  const db = openDatabase({ connectionString, maxConnections: 2, applicationName: 'bench', statementTimeoutMs: 0 });
  try {
    const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
    const { rows } = await db.pool.query<{ id: string }>("select id from organizations where slug = 'default'");
    const extent: Extent = { orgId: rows[0]?.id ?? '', sessions, callsPerSession, days: 399 };
    const addedSeconds = await fill(db, extent, say);
    const kept = await digestOf(db, extent.orgId);
    say('computing the rollups again');
    const rebuiltSeconds = await secondsOf(async () => rebuildRollups({ db }, extent.orgId));
    const costs = await costsOf(db, extent.orgId);
    await db.pool.query('vacuum analyze');
    const base = `${String(api.ready['url'])}/v3/organizations/default`;
    return {
      sessions,
      records: sessions * callsPerSession,
      addedSeconds,
      rebuiltSeconds,
      isEqual: kept === (await digestOf(db, extent.orgId)) && costs.ledger === costs.rollups,
      costUsd: costs.ledger,
      sizeBytes: await sizeOf(db),
      latency: await measureAll(base, key, timed, say),
    };
  } finally {
    await db.close();
    await api.stop();
  }
}

/** Returns the seconds for which rows were added to the rollups. */
async function fill(db: Database, extent: Extent, say: (line: string) => void): Promise<number> {
  say(`${extent.sessions.toLocaleString('en')} sessions`);
  await seedSessions(db, extent.orgId, extent.sessions);
  let seconds = 0;
  for (let from = 0; from < extent.sessions; from += chunk) {
    const to = Math.min(extent.sessions, from + chunk);
    await seedLedgers(db, extent, from, to);
    // The server does the same each minute, and then this waits for it.
    seconds += await secondsOf(() => rollUpAll({ db }));
    say(`${(to * extent.callsPerSession).toLocaleString('en')} calls`);
  }
  return seconds;
}

async function sizeOf(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ size: number }>('select pg_database_size(current_database())::float8 as size');
  return rows[0]?.size ?? 0;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

async function measureAll(base: string, key: string, timed: number, say: (line: string) => void) {
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const year = `from=${day(399)}&to=${day(0)}`;
  const paths = [
    'consumption/daily',
    `consumption/daily?${year}`,
    ...['user', 'service_user', 'repo', 'model', 'automation', 'tag'].map(
      (groupBy) => `consumption/daily?${year}&group_by=${groupBy}`,
    ),
    `consumption/daily/users/usr_100?${year}`,
    `consumption/daily/groups/grp_1?${year}`,
    `consumption/daily/sessions/ses_${(99).toString(16).padStart(26, '0')}?${year}`,
    'consumption/cycles',
    ...['summary', 'sessions', 'change-requests', 'usage', 'active-users', 'automations'].map(
      (name) => `metrics/${name}?${year}`,
    ),
    `metrics/summary?${year}&interval=month&repo=acme/100`,
    `metrics/summary?${year}&interval=week&repo=acme/100&tag=tag-7`,
  ];
  const latency: ConsumptionFigures['latency'] = [];
  for (const path of paths) {
    say(path);
    latency.push({ path: path.replace(year, '400 days'), ...(await measure(`${base}/${path}`, key, timed)) });
  }
  return latency;
}

async function measure(url: string, key: string, timed: number): Promise<{ bytes: number; ms: Spread }> {
  const times: number[] = [];
  let bytes = 0;
  for (let at = 0; at < timed + 3; at += 1) {
    const begun = performance.now();
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`);
    // The first ones warm the connections and the plans.
    if (at >= 3) times.push(performance.now() - begun);
    bytes = text.length;
  }
  return { bytes, ms: spreadOf(times) };
}
