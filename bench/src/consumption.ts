import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../server/src/db/pool.ts';
import { spreadOf, type Spread } from './agents-figures.ts';
import { fill, type Filled } from './consumption-fill.ts';
import { startProgram, type Started } from './processes.ts';

export interface ConsumptionFigures extends Filled {
  latency: { path: string; bytes: number; ms: Spread }[];
}

interface Options {
  connectionString: string;
  /** Of a database that was filled before, the same directory. */
  directory: string;
  sessions: number;
  callsPerSession: number;
  /** Requests of each kind. */
  timed: number;
  say: (line: string) => void;
}

/** Fills the ledgers of an organization, keeps its rollups, computes them again, and requests what they are for. */
export async function benchConsumption(options: Options): Promise<ConsumptionFigures> {
  const { directory, timed, say } = options;
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'filled.json');
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await fillNew(options)));
  const filled: Filled = JSON.parse(readFileSync(file, 'utf8'));
  const api = await startApi(options);
  try {
    const key = readFileSync(join(directory, 'data', 'admin-key'), 'utf8').trim();
    const base = `${String(api.ready['url'])}/v3/organizations/default`;
    return { ...filled, latency: await measureAll(base, key, timed, say) };
  } finally {
    await api.stop();
  }
}

async function startApi({ connectionString, directory }: Options): Promise<Started> {
  const data = join(directory, 'data');
  return startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    { DATABASE_URL: connectionString, GUILDHALL_RATE_LIMIT: '0' },
    join(directory, 'consumption.log'),
  );
}

async function fillNew(options: Options): Promise<Filled> {
  const { connectionString, sessions, callsPerSession, say } = options;
  // It migrates the database and creates the organization. It would also keep the rollups.
  await (await startApi(options)).stop();
  const db = openDatabase({ connectionString, maxConnections: 4, applicationName: 'bench', statementTimeoutMs: 0 });
  try {
    const { rows } = await db.pool.query<{ id: string }>("select id from organizations where slug = 'default'");
    return await fill(db, { orgId: rows[0]?.id ?? '', sessions, callsPerSession, days: 399 }, say);
  } finally {
    await db.close();
  }
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
