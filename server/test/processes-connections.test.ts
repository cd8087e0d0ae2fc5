import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { eventually } from './support/child.ts';
import { mutePackageManagers } from './support/package-managers.ts';
import { askAnew, childrenOf, connectionsOf, processesAt, streamAnew } from './support/processes.ts';
import {
  prepareData,
  pushProject,
  startServerProcess,
  temporaryDirectory,
  type Json,
  type ServerProcess,
} from './support/server.ts';
import { openSocket, openTerminal } from './support/terminals.ts';

const organization = '/v3/organizations/default';
const patience = { timeout: 60_000 };
const drainDelaySeconds = 3;
/** More than there are processes, which get connections in turn. */
const several = [1, 2, 3, 4];

const data = temporaryDirectory();
const directory = join(data.path, 'data');
let server: ServerProcess;
let admin: Record<string, string>;

beforeAll(async () => {
  prepareData(directory);
  server = await startServerProcess(directory, ['--processes', '2'], {
    PATH: await mutePackageManagers(join(data.path, 'programs')),
    GUILDHALL_DRAIN_DELAY: String(drainDelaySeconds),
    // The tests act as the proxy.
    GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8',
    GUILDHALL_SLOTS: '2',
  });
  admin = { authorization: `Bearer ${server.key}` };
  await pushProject(server, 'acme/widgets', { 'README.md': 'Widgets.\n' });
}, 120_000);
afterAll(async () => {
  server.process.kill('SIGKILL');
  await server.exited;
  await eventually(() => processesAt(directory).length === 0, 'all of its processes end');
  data.remove();
});

const children = () => childrenOf(server.process.pid ?? 0);
const connections = () => children().map((pid) => connectionsOf(pid, server.url));

/** Runs work that opens connections, and expects that each process has some of them; earlier ones may end meanwhile. */
async function atEach<T>(open: () => Promise<T>): Promise<T> {
  const before = new Set(connections().flat());
  const opened = await open();
  for (const after of connections()) expect(after.filter((name) => !before.has(name))).not.toEqual([]);
  return opened;
}

const answersOf = async (url: string, headers: Record<string, string> = {}): Promise<number[]> => {
  const statuses: number[] = [];
  for (const _ of several) statuses.push((await askAnew(`${server.url}${url}`, { headers })).status);
  return statuses;
};

/** Answers requests with their path, and says `hi` over a WebSocket. */
const program = `
  const http = require('node:http');
  const crypto = require('node:crypto');
  const app = http.createServer((request, response) => response.end(request.url));
  app.on('upgrade', (request, socket) => {
    const accept = crypto.createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: upgrade\\r\\nsec-websocket-accept: ' + accept + '\\r\\n\\r\\n');
    socket.on('data', () => socket.write(Buffer.from([0x81, 2, 0x68, 0x69])));
  });
  app.listen(3000, '127.0.0.1');
`;

/** Starts a session whose sandbox serves at port 3000 for a while; returns its path. */
async function startLive(): Promise<string> {
  const serve = `cat > ~/server.cjs <<'END'\n${program}\nEND\nnode ~/server.cjs & sleep 100`;
  const agent = await server.call('POST', '/agents', {
    name: 'serves',
    runtime: 'script',
    runtime_config: { steps: [{ run: serve }], summary: 'Done.' },
  });
  const { status, json } = await server.call('POST', `${organization}/sessions`, {
    prompt: 'Work.',
    repositories: [{ repo: 'acme/widgets' }],
    agent_id: agent.json['id'],
  });
  expect(status).toBe(201);
  const path = `${organization}/sessions/${String(json['id'])}`;
  const serves = async () => (await askAnew(`${server.url}${path}/preview/3000/`, { headers: admin })).status;
  await expect.poll(serves, patience).toBe(200);
  return path;
}

async function signIn(): Promise<{ cookie: string }> {
  const url = `${server.url}/v3/auth/sign-in`;
  const { status, headers } = await askAnew(url, { method: 'POST', body: { key: server.key } });
  expect(status).toBe(200);
  return { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '' };
}

const saysHi = (socket: WebSocket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('message', (message) => resolve(Buffer.isBuffer(message) ? message.toString() : ''));
    socket.send('hello');
  });

describe('connections to two processes', () => {
  test('terminals and previews work at each, whichever worker has the session, and end at each with a sign-in', async () => {
    const path = await startLive();
    const terminals = await atEach(() =>
      Promise.all(several.map(() => openTerminal(`${server.url}${path}/terminal`, admin))),
    );
    for (const terminal of terminals) {
      terminal.type('echo $((40 + 2))\n');
      await terminal.shows(/^42/m);
      terminal.socket.close();
    }
    const preview = `${path}/preview/3000/page`;
    expect(await answersOf(preview, admin)).toEqual([200, 200, 200, 200]);
    const signedIn = await signIn();
    const first = await askAnew(`${server.url}${preview}`, { headers: signedIn });
    const ticket = String(first.headers.location);
    expect([first.status, ticket]).toEqual([302, expect.stringContaining('/~')]);
    expect(await answersOf(ticket)).toEqual([200, 200, 200, 200]);
    const sockets = await atEach(() => Promise.all(several.map(() => openSocket(`${server.url}${ticket}`, {}))));
    expect(await Promise.all(sockets.map(saysHi))).toEqual(['hi', 'hi', 'hi', 'hi']);
    const out = { ...signedIn, 'x-guildhall-csrf': '1' };
    const signedOut = await askAnew(`${server.url}/v3/auth/sign-out`, { method: 'POST', headers: out, body: {} });
    expect(signedOut.status).toBeLessThan(300);
    await expect.poll(() => answersOf(ticket), { timeout: 2_000 }).toEqual([401, 401, 401, 401]);
    expect(await answersOf('/v3/self', signedIn)).toEqual([401, 401, 401, 401]);
    const states = () => sockets.map((socket) => socket.readyState);
    await expect.poll(states, { timeout: 5_000 }).toEqual(sockets.map((socket) => socket.CLOSED));
    await server.call('POST', `${path}/cancel`);
  }, 120_000);

  test('streams of a revoked key end at each, at once', async () => {
    const user = await server.call('POST', `${organization}/service-users`, { name: 'reader' });
    const keys = `${organization}/service-users/${String(user.json['id'])}/keys`;
    const { json: key } = await server.call('POST', keys, { name: 'key', scopes: ['org:read', 'sessions:read'] });
    const bearer = { authorization: `Bearer ${String(key['key'])}` };
    const url = `${server.url}${organization}/events/stream`;
    const streams = await atEach(() => Promise.all(several.map(() => streamAnew(url, bearer))));
    expect(streams.map((stream) => stream.hasEnded())).toEqual([false, false, false, false]);
    expect((await server.call('DELETE', `${keys}/${String(key['id'])}`)).status).toBeLessThan(300);
    const ended = () => streams.map((stream) => stream.hasEnded());
    await expect.poll(ended, { timeout: 2_000 }).toEqual([true, true, true, true]);
  }, 60_000);

  test('each knows the address of the client, and its proxy, and keeps others out by it', async () => {
    const office = { ...admin, 'x-forwarded-for': '192.0.2.7' };
    const names: string[] = [];
    for (const [index, headers] of [office, office, admin, admin].entries()) {
      const body = { name: `group ${index}` };
      const made = await askAnew(`${server.url}${organization}/service-users`, { method: 'POST', headers, body });
      const { id }: Json = JSON.parse(made.text);
      names.push(String(id));
    }
    const { json } = await server.call('GET', `${organization}/audit-logs?first=20`);
    const entries: { ip?: string; resource?: { id?: string } }[] = Object(json).items;
    expect(names.map((name) => entries.find(({ resource }) => resource?.id === name)?.ip)).toEqual([
      '192.0.2.7',
      '192.0.2.7',
      '127.0.0.1',
      '127.0.0.1',
    ]);
    const list = `${organization}/ip-access-list`;
    const put = (enabled: boolean) =>
      askAnew(`${server.url}${list}`, {
        method: 'PUT',
        headers: office,
        body: { enabled, entries: [{ cidr: '192.0.2.7' }], force: true },
      });
    expect((await put(true)).status).toBe(200);
    await expect.poll(() => answersOf('/v3/self', admin), { timeout: 2_000 }).toEqual([403, 403, 403, 403]);
    expect(await answersOf('/v3/self', office)).toEqual([200, 200, 200, 200]);
    expect((await put(false)).status).toBe(200);
    await expect.poll(() => answersOf('/v3/self', admin), { timeout: 2_000 }).toEqual([200, 200, 200, 200]);
  }, 60_000);

  test('a database that dies is started again, and ends none of them, even while their metrics are read', async () => {
    const before = children();
    const postgres = processesAt(directory).filter((pid) => !before.includes(pid) && pid !== server.process.pid);
    const scrape = async () => (await fetch(String(server.ready['metrics_url']))).status;
    execFileSync('kill', ['-KILL', ...postgres.map(String)]);
    const statuses: number[] = [];
    for (let reads = 0; reads < 10; reads += 1) statuses.push(await scrape());
    expect(statuses).toContain(500);
    await expect.poll(scrape, patience).toBe(200);
    await expect.poll(() => answersOf('/v3/self', admin), patience).toEqual([200, 200, 200, 200]);
    expect(children()).toEqual(before);
  }, 120_000);

  test('SIGTERM lets both say that they leave and serve on for the delay', async () => {
    const before = children();
    server.process.kill('SIGTERM');
    const sentAt = performance.now();
    await expect.poll(() => answersOf('/readyz'), { timeout: 2_000 }).toEqual([503, 503, 503, 503]);
    expect(await answersOf('/v3/self', admin)).toEqual([200, 200, 200, 200]);
    expect(children()).toEqual(before);
    expect(await server.exited).toMatchObject({ code: 0, stderr: expect.not.stringContaining('a process ended') });
    expect(performance.now() - sentAt).toBeGreaterThan(1_000 * drainDelaySeconds);
    expect(processesAt(directory)).toEqual([]);
  }, 60_000);
});
