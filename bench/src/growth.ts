import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded } from '../../server/src/db/embedded/start.ts';
import { openDatabase, type Database } from '../../server/src/db/pool.ts';
import { claimNext } from '../../server/src/features/sessions/run/run-service.ts';
import { systemClock } from '../../server/src/lib/clock.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { flood } from '../../server/test/support/flood.ts';
import { spreadOf, type Spread } from './agents-figures.ts';
import { fillGrowth } from './growth-fill.ts';
import { measureRetention, type RetentionFigures } from './growth-retention.ts';
import { startProgram } from './processes.ts';

export interface GrowthFigures {
  sessions: [small: number, large: number];
  events: number;
  sizeBytes: number;
  operations: { name: string; ms: [small: Spread, large: Spread] }[];
  retention: RetentionFigures;
}

interface Options {
  /** Of a database that was filled before, the same directory. */
  directory: string;
  isKept: boolean;
  sessions: number;
  rounds: number;
  say: (line: string) => void;
}

const smallSessions = 10_000;
const eventsEach = 20;
/** Queued sessions in each database, for claims. */
const queued = 2_000;

/** One database with its API. */
interface Side {
  db: Database;
  base: string;
  key: string;
  id: string;
  stop(): Promise<void>;
}

/**
 * Compares an installation with 10,000 sessions and one with many more. The two are asked in turn, so that both see the same
 * machine.
 */
export async function benchGrowth(options: Options): Promise<GrowthFigures> {
  const { directory, isKept, sessions, rounds, say } = options;
  mkdirSync(directory, { recursive: true });
  const embedded = await startEmbedded({
    dataDir: join(directory, 'database'),
    log: createLog('warn'),
    disposable: !isKept,
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      synchronous_commit: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      max_wal_size: '1GB',
      maintenance_work_mem: '1GB',
      shared_buffers: '1GB',
      autovacuum: 'off',
      max_connections: '100',
    },
  });
  const sides: Side[] = [];
  try {
    for (const count of [smallSessions, sessions])
      sides.push(await openSide(embedded.connectionString, directory, count, say));
    const [small, large] = sides;
    if (small === undefined || large === undefined) throw new Error('nothing was filled');
    const operations: GrowthFigures['operations'] = [];
    for (const [name, run] of Object.entries(operationsOf())) {
      say(name);
      operations.push({ name, ms: await compare(small, large, rounds, run) });
    }
    say('retention');
    const sizeBytes = await sizeOf(large.db);
    const retention = await measureRetention(large.db, say);
    return {
      sessions: [smallSessions, sessions],
      events: (sessions / 10) * eventsEach,
      sizeBytes,
      operations,
      retention,
    };
  } finally {
    for (const { stop } of sides) await stop();
    await embedded.stop();
  }
}

async function openSide(url: string, directory: string, sessions: number, say: (line: string) => void): Promise<Side> {
  const name = `growth_${sessions}`;
  const marker = join(directory, `${name}.json`);
  const connectionString = url.replace(/\/guildhall$/, `/${name}`);
  if (!existsSync(marker)) {
    const admin = openDatabase({ connectionString: url, maxConnections: 1, applicationName: 'bench' });
    await admin.pool.query(`create database ${name}`);
    await admin.close();
  }
  const data = join(directory, name);
  const api = await startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    { DATABASE_URL: connectionString, GUILDHALL_RATE_LIMIT: '0', GUILDHALL_LOG_LEVEL: 'warn' },
    join(directory, `${name}.log`),
  );
  const db = openDatabase({ connectionString, maxConnections: 4, applicationName: 'bench', statementTimeoutMs: 0 });
  const { rows } = await db.pool.query<{ id: string }>("select id from organizations where slug = 'default'");
  const orgId = rows[0]?.id ?? '';
  if (!existsSync(marker)) {
    await fillGrowth(db, { orgId, sessions, eventsEach }, say);
    // Of another organization: the lists show none of them.
    await flood(db, [await otherOrganization(String(api.ready['url']), join(data, 'admin-key'))], queued);
    await db.pool.query('vacuum analyze sessions');
    writeFileSync(marker, JSON.stringify({ sessions }));
  }
  return {
    db,
    base: `${String(api.ready['url'])}/v3/organizations/default/sessions`,
    key: readFileSync(join(data, 'admin-key'), 'utf8').trim(),
    id: `ses_${(sessions / 2).toString(16).padStart(26, '0')}`,
    stop: async () => {
      await api.stop();
      await db.close();
    },
  };
}

async function otherOrganization(url: string, keyFile: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${readFileSync(keyFile, 'utf8').trim()}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ name: 'Growth' });
  const answer = await fetch(`${url}/v3/organizations`, { method: 'POST', headers, body });
  return String(Object(await answer.json()).id);
}

type Operation = (side: Side) => Promise<unknown>;

function operationsOf(): Record<string, Operation> {
  const get = (path: (side: Side) => string) => (side: Side) => request(side, path(side));
  return {
    'list of 50': get(() => '?first=50'),
    'second page': async (side) => {
      const { end_cursor: after } = Object(JSON.parse(await request(side, '?first=50')));
      await request(side, `?first=50&after=${String(after)}`);
    },
    'list by status': get(() => '?first=50&status=failed'),
    'list by tag': get(() => '?first=50&tag=tag-7'),
    'list by tag, last changed first': get(() => '?first=50&tag=tag-7&sort=updated_at'),
    'list by tag and status': get(() => '?first=50&tag=tag-10&status=failed'),
    'list by repository': get(() => '?first=50&repo=acme/7'),
    'list, last changed first': get(() => '?first=50&sort=updated_at'),
    counts: get(() => '/counts'),
    queue: get(() => '/queue'),
    get: get(({ id }) => `/${id}`),
    'events of one': get(({ id }) => `/${id}/events?first=50`),
    create: (side) => request(side, '', JSON.stringify({ prompt: 'Fix the parser.' })),
    claim: ({ db }) => claimNext({ db, clock: systemClock }, 'bench'),
  };
}

async function request({ base, key }: Side, path: string, body?: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${base}${path}`, body === undefined ? { headers } : { method: 'POST', headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text;
}

async function compare(small: Side, large: Side, rounds: number, run: Operation): Promise<[Spread, Spread]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + 5; round += 1)
    for (const [at, side] of [small, large].entries()) {
      const begun = performance.now();
      await run(side);
      // The first ones warm the connections and the plans.
      if (round >= 5) times[at]?.push(performance.now() - begun);
    }
  return [spreadOf(times[0]), spreadOf(times[1])];
}

async function sizeOf(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ size: number }>('select pg_database_size(current_database())::float8 as size');
  return rows[0]?.size ?? 0;
}
