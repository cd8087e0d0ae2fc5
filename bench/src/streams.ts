import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spreadOf, type Spread } from './agents-figures.ts';
import { memoryMib, startProgram } from './processes.ts';
import { caller, type Call } from './session.ts';
import { followOrganization, type Follower } from './streams-follower.ts';

export interface StreamFigures {
  streams: number;
  sessions: number;
  events: number;
  seconds: number;
  /** Streams that missed an event, or got one twice or out of order. */
  wrong: number;
  /** Events that came to a stream whose key may not read sessions. */
  leaked: number;
  /** From the event to its arrival, over all streams. */
  arrivalMs: Spread;
  memoryMib: number;
}

interface Options {
  directory: string;
  streams: number;
  sessions: number;
  say: (line: string) => void;
}

/** Every tenth stream has a key that may not read sessions. */
const blindEvery = 10;
const atOnce = 50;
const patienceMs = 900_000;
const org = '/v3/organizations/default';

/** Runs sessions of the `script` agent while many streams follow their organization. */
export async function benchStreams(options: Options): Promise<StreamFigures> {
  const data = mkdtempSync(join(options.directory, 'streams-'));
  const server = await startProgram(
    'server/src/main.ts',
    ['--port', '0', '--data', data, '--json'],
    { DATABASE_URL: '', GUILDHALL_RATE_LIMIT: '0', GUILDHALL_LOG_LEVEL: 'warn' },
    join(options.directory, 'streams.log'),
  );
  const followers: Follower[] = [];
  try {
    const url = String(server.ready['url']);
    const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
    return await measure({ ...options, url, key, pid: server.pid, call: caller(url, key), followers });
  } finally {
    for (const { leave } of followers) leave();
    await server.stop();
  }
}

interface World extends Options {
  url: string;
  key: string;
  pid: number;
  call: Call;
  followers: Follower[];
}

async function measure(world: World): Promise<StreamFigures> {
  const { call, followers, sessions, streams, say } = world;
  const blind = await blindKey(world);
  const agent = await call('POST', '/agents', {
    name: 'bench',
    runtime: 'script',
    runtime_config: { steps: [{ run: 'true' }], summary: 'Done.' },
  });
  // What happened so far has been published before the streams begin.
  await delay(2_000);
  say(`opening ${streams} streams`);
  while (followers.length < streams) {
    const some = Array.from({ length: Math.min(atOnce, streams - followers.length) }, (_, at) => {
      const isBlind = (followers.length + at) % blindEvery === 0;
      return followOrganization(world.url, isBlind ? blind : world.key, isBlind);
    });
    followers.push(...(await Promise.all(some)));
  }
  say(`${sessions} sessions`);
  const begun = performance.now();
  const body = { prompt: 'Work', agent_id: agent['id'], repositories: [] };
  for (let made = 0; made < sessions; made += 1) await call('POST', `${org}/sessions`, body);
  await ended(world);
  await call('POST', `${org}/groups`, { name: 'last' });
  await arrived(world);
  const seconds = (performance.now() - begun) / 1_000;
  return { streams, sessions, seconds, ...compare(followers), memoryMib: memoryMib(world.pid) };
}

/** Creates a key that may not read sessions. */
async function blindKey({ call, url, key }: World): Promise<string> {
  const { id } = await call('POST', `${org}/service-users`, { name: 'blind' });
  const response = await fetch(`${url}${org}/service-users/${String(id)}/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'blind', scopes: ['org:read'] }),
  });
  const issued: unknown = await response.json();
  return String(Reflect.get(Object(issued), 'key'));
}

async function ended({ call, sessions }: World): Promise<void> {
  for (const until = performance.now() + patienceMs; performance.now() < until; await delay(500)) {
    const { total } = await call('GET', `${org}/sessions?status=completed,failed&first=1`);
    if (total === sessions) return;
  }
  throw new Error('The sessions did not end.');
}

async function arrived({ followers }: World): Promise<void> {
  const has = (): boolean => followers.every(({ events }) => events.at(-1)?.type === 'group.created');
  for (const until = performance.now() + 60_000; performance.now() < until && !has();) await delay(100);
}

/** Compares what each stream got: all of it without gaps, or only what is not of sessions. */
function compare(followers: readonly Follower[]) {
  const seeing = followers.filter(({ isBlind }) => !isBlind);
  const [whole] = seeing;
  if (whole === undefined) throw new Error('nobody sees everything');
  const first = Math.min(...seeing.map(({ begin }) => begin)) + 1;
  const last = Math.max(...followers.map(({ events }) => events.at(-1)?.seq ?? 0));
  const all = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const types = new Map(whole.events.map(({ seq, type }) => [seq, type]));
  const isSession = (type: string): boolean => type.startsWith('session.');
  const expected = (one: Follower): string =>
    String(all.filter((seq) => seq > one.begin && !(one.isBlind && isSession(types.get(seq) ?? ''))));
  const wrong = followers.filter((one) => String(one.events.map(({ seq }) => seq)) !== expected(one)).length;
  const leaked = followers
    .filter(({ isBlind }) => isBlind)
    .flatMap(({ events }) => events.filter(({ type }) => isSession(type))).length;
  const arrivalMs = spreadOf(followers.flatMap(({ events }) => events.map(({ ms }) => ms)));
  return { events: all.length, wrong, leaked, arrivalMs };
}
