import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../server/src/db/pool.ts';
import { benchCreate } from './api-create.ts';
import { compare, load } from './load.ts';
import { startProgram, type Started } from './processes.ts';
import { seedSessions } from './seed.ts';

export interface ApiOptions {
  connectionString: string;
  directory: string;
  /** The numbers of sessions to measure at. */
  sizes: number[];
  seconds: number;
  rounds: number;
  connections: number;
  /** The directory for the server's CPU profile; `''` for none. */
  profile: string;
  say: (line: string) => void;
}

/** Compares list and get with the bare peer at each size, then measures create. */
export async function benchApi(options: ApiOptions) {
  const { connectionString, directory, sizes, seconds, rounds, connections, profile, say } = options;
  const data = mkdtempSync(join(directory, 'api-'));
  const env = { DATABASE_URL: connectionString, GUILDHALL_RATE_LIMIT: '1000000:1000000' };
  const api = await startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    env,
    join(directory, 'api.log'),
    profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  );
  const db = openDatabase({ connectionString, maxConnections: 4, applicationName: 'bench' });
  const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
  const base = `${String(api.ready['url'])}/v3/organizations/default/sessions`;
  const results: {
    sessions: number;
    list: Awaited<ReturnType<typeof compare>>;
    get: Awaited<ReturnType<typeof compare>>;
  }[] = [];
  try {
    const orgId = await organizationOf(String(api.ready['url']), key);
    for (const sessions of sizes) {
      say(`filling up to ${sessions.toLocaleString('en')} sessions`);
      await seedSessions(db, orgId, sessions);
      results.push({
        sessions,
        ...(await benchReads({
          connectionString,
          directory,
          base,
          key,
          seconds,
          rounds,
          connections,
          say,
          id: sessionId(sessions / 2),
        })),
      });
    }
    say('creating sessions');
    const create = await benchCreate({ connectionString, base, key, pid: api.pid, seconds, connections });
    return { orgId, reads: results, create };
  } finally {
    await db.close();
    await api.stop();
  }
}

async function benchReads(options: {
  connectionString: string;
  directory: string;
  base: string;
  key: string;
  id: string;
  seconds: number;
  rounds: number;
  connections: number;
  say: (line: string) => void;
}) {
  const { base, key, id, seconds, rounds, connections, say, directory, connectionString } = options;
  const list = await saveAnswer(base, key, join(directory, 'list.json'));
  const get = await saveAnswer(`${base}/${id}`, key, join(directory, 'get.json'));
  const peer: Started = await startProgram(
    'bench/src/peer.ts',
    [connectionString, list, get, base.replace(/\/sessions$/, '')],
    {},
    join(directory, 'peer.log'),
  );
  const peerBase = `${String(peer.ready['url'])}/sessions`;
  const settings = { key, seconds, connections };
  try {
    await load(base, { ...settings, seconds: 2 });
    await load(peerBase, { ...settings, seconds: 2 });
    say('list of 50');
    const lists = await compare(
      rounds,
      () => load(base, settings),
      () => load(peerBase, settings),
    );
    say('get of one');
    const gets = await compare(
      rounds,
      () => load(`${base}/${id}`, settings),
      () => load(`${peerBase}/${id}`, settings),
    );
    return { list: lists, get: gets };
  } finally {
    await peer.stop();
  }
}

function sessionId(n: number): string {
  return `ses_${Math.floor(n).toString(16).padStart(26, '0')}`;
}

async function saveAnswer(url: string, key: string, file: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  return file;
}

async function organizationOf(url: string, key: string): Promise<string> {
  const self: unknown = await (await fetch(`${url}/v3/self`, { headers: { authorization: `Bearer ${key}` } })).json();
  if (
    typeof self === 'object' &&
    self !== null &&
    'organization' in self &&
    typeof self.organization === 'object' &&
    self.organization !== null &&
    'id' in self.organization
  )
    return String(self.organization.id);
  throw new Error('no organization');
}
