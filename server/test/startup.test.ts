import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from './support/child.ts';
import { createTestDatabase } from './support/database.ts';
import { mutePackageManagers } from './support/package-managers.ts';
import { prepareData, startServerProcess, temporaryDirectory, type ServerProcess } from './support/server.ts';

/** Returns true if the embedded PostgreSQL of a data directory is running. */
function databaseIsUp(directory: string): boolean {
  const file = join(directory, 'postgres/postmaster.pid');
  if (!existsSync(file)) return false;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the first start', () => {
  const data = temporaryDirectory();
  let server: ServerProcess;
  beforeAll(async () => {
    const variables = { GUILDHALL_LOG_LVEL: 'debug', GUILDHALL_TEST_X: '1' };
    server = await startServerProcess(data.path, ['--role', 'api'], variables);
  });
  afterAll(async () => {
    server.process.kill('SIGKILL');
    await server.exited;
    data.remove();
  });

  test('says where it is and keeps the key of its administrator for the owner alone', async () => {
    expect(server.ready).toMatchObject({
      event: 'ready',
      organization: 'default',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    expect(JSON.stringify(server.ready)).not.toContain(server.key);
    expect(statSync(join(data.path, 'admin-key')).mode & 0o777).toBe(0o600);
    const { json } = await server.call('GET', '/v3/self');
    expect(json).toMatchObject({ email: 'admin@localhost', permission: 'admin', organization: { slug: 'default' } });
    const metrics = await fetch(String(server.ready['metrics_url']));
    expect(await metrics.text()).toContain('guildhall_http_request_seconds_count');
  });

  test('keeps a second one off the same data directory, by name', async () => {
    await expect(startServerProcess(data.path, ['--role', 'api'])).rejects.toThrow(
      /The data directory \S+ is in use by another Guildhall \(process \d+\)\. Stop that process first, or choose another directory\. The data directory is set by --data or GUILDHALL_DATA\.\n/,
    );
  });

  test('is drained by SIGHUP, as of a terminal that is closed', async () => {
    server.process.kill('SIGHUP');
    expect(await server.exited).toMatchObject({ code: 0 });
    expect(databaseIsUp(data.path)).toBe(false);
  });

  test('tells of a variable that nothing reads, with the one that may be meant', async () => {
    server.process.kill('SIGHUP');
    const { stderr } = await server.exited;
    expect(stderr).toContain('GUILDHALL_LOG_LVEL is set, and nothing reads it. Did you mean GUILDHALL_LOG_LEVEL?');
    expect(stderr).not.toContain('GUILDHALL_TEST_X');
  });

  test('is not forgotten: a key ring that is not where it should be is not made anew', async () => {
    server.process.kill('SIGHUP');
    await server.exited;
    const path = join(data.path, 'mistyped', 'key-ring');
    await expect(startServerProcess(data.path, ['--role', 'api'], { GUILDHALL_KEY_RING: path })).rejects.toThrow(
      `The key ring ${path} does not exist`,
    );
    expect(existsSync(join(data.path, 'mistyped'))).toBe(false);
    expect(databaseIsUp(data.path)).toBe(false);
  });
});

describe('on a data directory of its own', () => {
  let data: ReturnType<typeof temporaryDirectory>;
  let running: ServerProcess[] = [];

  beforeEach(() => {
    data = temporaryDirectory();
  });
  afterEach(async () => {
    for (const server of running) {
      server.process.kill('SIGKILL');
      await server.exited;
    }
    running = [];
    data.remove();
  });

  /** Starts a server on an existing database. */
  async function start(args: string[] = ['--role', 'api'], env: Record<string, string> = {}): Promise<ServerProcess> {
    if (!existsSync(join(data.path, 'postgres'))) prepareData(data.path);
    const server = await startServerProcess(data.path, args, env);
    running.push(server);
    return server;
  }

  test('a signal to the whole process group drains: it ends by itself and leaves no database behind', async () => {
    const PATH = await mutePackageManagers(join(data.path, 'programs'));
    const server = await start(['--role', 'all'], { PATH });
    process.kill(-(server.process.pid ?? 0), 'SIGINT');
    expect(await server.exited).toMatchObject({ code: 0 });
    expect(databaseIsUp(data.path)).toBe(false);
  });

  test('with a delay a drain begins with /readyz alone: requests are served until it is over, or a second signal comes', async () => {
    const { connectionString, drop } = await createTestDatabase();
    onTestFinished(drop);
    const env = { DATABASE_URL: connectionString, GUILDHALL_DRAIN_DELAY: '600', GUILDHALL_RATE_LIMIT: '0' };
    const server = await start(['--role', 'api'], env);
    const readiness = async (): Promise<unknown[]> => {
      const response = await fetch(`${server.url}/readyz`);
      return [response.status, Object(await response.json()).status];
    };
    expect(await readiness()).toEqual([200, 'ready']);
    const signaledAt = Date.now();
    server.process.kill('SIGTERM');
    await expect.poll(readiness, { timeout: 30_000 }).toEqual([503, 'draining']);
    expect((await server.call('GET', '/v3/self')).status).toBe(200);
    // A terminal and npm may both deliver the first signal.
    while (Date.now() - signaledAt < 2_500) {
      expect((await server.call('GET', '/v3/self')).status).toBe(200);
      await delay(50);
    }
    server.process.kill('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0 });
  });

  test('a killed server leaves no database behind, and the next start finds everything', async () => {
    const first = await start();
    const created = await first.call('POST', '/v3/organizations/default/service-users', { body: 1, name: 'ci' });
    expect(created.status).toBe(400);
    const kept = await first.call('POST', '/v3/organizations/default/service-users', { name: 'ci' });
    first.process.kill('SIGKILL');
    await first.exited;
    await eventually(() => !databaseIsUp(data.path), 'the database of a killed server ends', 60_000);
    const second = await start();
    expect(second.key).toBe(first.key);
    const { json } = await second.call('GET', `/v3/organizations/default/service-users/${String(kept.json['id'])}`);
    expect(json).toEqual(kept.json);
  });

  test.each([
    [['--port', '70000'], {}, '--port / GUILDHALL_PORT is "70000"'],
    [['--role', 'everything'], {}, 'it must be one of all, api, worker'],
    [['--colour'], {}, 'Usage: npm start'],
    [['--role', 'worker'], {}, 'set DATABASE_URL'],
    [[], { GUILDHALL_EGRESS_ALLOW: 'everything' }, 'GUILDHALL_EGRESS_ALLOW has "everything"'],
    [[], { GUILDHALL_REGISTRY_FILES: 'cdn.example' }, 'GUILDHALL_REGISTRY_FILES has "cdn.example"'],
    [['--data', '/proc/x'], {}, 'Cannot create the directory /proc/x'],
    [['--data', '/etc/passwd'], {}, 'The data directory is set by --data or GUILDHALL_DATA.'],
    [[], { DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be postgresql://'],
    [
      [],
      { DATABASE_URL: 'postgresql://a@127.0.0.1:1/x' },
      'DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1.',
    ],
    [
      [],
      { DATABASE_URL: 'postgresql://a:pass#word@127.0.0.1/x' },
      'DATABASE_URL cannot be used: Invalid URL. Name one host, and percent-encode the special characters of user and password.',
    ],
    [[], { GUILDHALL_TRUSTED_PROXIES: '10.0.0.0/8,abc' }, 'GUILDHALL_TRUSTED_PROXIES has "abc"'],
    [[], { GUILDHALL_HOST: '300.1.1.1' }, 'GUILDHALL_HOST is "300.1.1.1", which is not an address of this machine.'],
    [
      ['--role', 'all'],
      { GUILDHALL_WORKER_HOST: '300.1.1.1' },
      'GUILDHALL_WORKER_HOST is "300.1.1.1", which is not an address of this machine.',
    ],
    [
      ['--role', 'all'],
      { GUILDHALL_WORKER_HOST: '0.0.0.0' },
      'which stands for all addresses; name the one at which API processes reach it.',
    ],
    [
      ['--role', 'all'],
      { GUILDHALL_SANDBOX: 'docker' },
      'GUILDHALL_SANDBOX is "docker"; it must be one of auto, bubblewrap, process.',
    ],
    [['--role', 'api'], { GUILDHALL_SANDBOX: 'kubernetes' }, 'GUILDHALL_SANDBOX is "kubernetes"; it must be one of'],
  ])('%j with %j does not start and says why', async (args, env, message) => {
    await expect(startServerProcess(data.path, args, env)).rejects.toThrow(message);
    expect(databaseIsUp(data.path)).toBe(false);
  });

  test('a data directory that cannot be written is named with the reason', async () => {
    mkdirSync(join(data.path, 'lock'));
    await expect(startServerProcess(data.path, ['--role', 'api'])).rejects.toThrow(
      `Cannot write to the data directory ${data.path}: EISDIR: illegal operation on a directory. The data directory is set by`,
    );
  });

  test('a port that is taken stops the start before anything is made, by the name of its setting', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = Object(other.address());
    const api = startServerProcess(data.path, ['--role', 'api', '--port', String(port)]);
    await expect(api).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is taken by another program. Choose another by --port`,
    );
    const metrics = startServerProcess(data.path, ['--role', 'api'], { GUILDHALL_METRICS_PORT: String(port) });
    await expect(metrics).rejects.toThrow('Choose another by GUILDHALL_METRICS_PORT; 0 is a free one.');
    other.close();
    expect(readdirSync(data.path)).toEqual(['lock']);
  });

  test('with --stop-with-stdin it ends when whoever started it is gone', async () => {
    // Its standard input is at its end from the beginning.
    const server = await start(['--role', 'api', '--stop-with-stdin']);
    expect(await server.exited).toMatchObject({ code: 0 });
    expect(databaseIsUp(data.path)).toBe(false);
  });
});

test.each([
  ['main.ts', ['--help'], 0, /^Usage: npm start[^]*--stop-with-stdin/],
  ['main.ts', ['--version'], 0, /^\d+\.\d+\.\d+\n$/],
  ['admin.ts', ['--help'], 0, /^The operator's command line/],
  ['admin.ts', ['--version'], 0, /^\d+\.\d+\.\d+\n$/],
  ['main.ts', ['--colour'], 2, /^Unknown option '--colour'[^]*\n\nUsage: npm start/],
  ['admin.ts', ['--colour'], 2, /^Unknown option '--colour'[^]*\n\nThe operator's command line/],
  ['admin.ts', ['key', '--email'], 2, /^Option '--email <value>' argument missing\n\nThe operator's command line/],
  ['admin.ts', ['frobnicate'], 2, /^Unknown command "frobnicate"\.\n/],
  ['admin.ts', ['key'], 2, /^The command key needs --email\.\n/],
  ['admin.ts', ['password', 'set'], 2, /^The command password set needs --email\.\n/],
  ['admin.ts', ['organization', 'create'], 2, /^The command organization create needs --name and --email\.\n/],
  ['admin.ts', ['organization', 'weight', '--org', 'x'], 2, /^The command organization weight needs --weight\.\n/],
  ['admin.ts', ['key', 'revoke', '--email', 'a@b.example'], 2, /^Something is missing, or not known, after key:\n/],
  ['admin.ts', ['storage', '--org', 'x'], 2, /^The command storage does not take --org\.\n/],
  ['admin.ts', ['retention', 'apply', 'now'], 2, /^Something is missing, or not known, after retention:\n/],
  ['admin.ts', ['organization', 'x'], 2, /^Something is missing, or not known, after organization:\n/],
])('%s %j answers at once', (program, args, code, says) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../src', program), ...args],
    {
      encoding: 'utf8',
    },
  );
  expect(status).toBe(code);
  expect(code === 0 ? stdout : stderr).toMatch(says);
});
