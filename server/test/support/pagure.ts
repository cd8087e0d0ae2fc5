import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { limited } from '../../src/lib/limits.ts';
import { freePort } from './mailbox.ts';

/** A real Pagure in a root directory of its own, with Redis and its workers, on loopback. */
export interface Pagure {
  /** Without a slash at its end. */
  url: string;
  /** API tokens of four accounts; the others are of `bot`. */
  tokens: Record<'bot' | 'alice' | 'grace' | 'mallory' | 'narrow' | 'readOnly' | 'expired', string>;
  /** Calls the API as `bot`, or with another token, and returns its answer; throws unless the status is 2xx. */
  call(path: string, form?: Record<string, string>, token?: string): Promise<Record<string, unknown>>;
  /** Creates a public project with one commit on `main`. */
  createProject(name: string, options?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

const root = process.env['GUILDHALL_TEST_PAGURE_ROOT'] ?? '/var/lib/guildhall-pagure';
const recipe = new URL('../hosts/pagure/', import.meta.url).pathname;
const account = '_pagure';
const memoryBytes = 1024 ** 3;

/** Returns why Pagure cannot be started here; `''` if it can. */
export function pagureProblem(): string {
  if (!existsSync(join(root, 'usr/bin/pagure-admin')))
    return `Pagure is not installed in ${root}: server/test/hosts/pagure/build.sh installs it`;
  return process.getuid?.() === 0 ? '' : 'Pagure needs root to change its root directory';
}

/** Starts Pagure with an empty database; `data` keeps its files, which `close` removes. */
export async function startPagure(): Promise<Pagure> {
  const data = await mkdtemp(join(root, 'srv/pagure-'));
  const inside = `/srv/${basename(data)}`;
  const ports = { web: await freePort(), redis: await freePort() };
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: inside,
    PAGURE_CONFIG: `${inside}/pagure.cfg`,
    PYTHONPATH: inside,
    PYTHONWARNINGS: 'ignore',
  };
  await cp(recipe, data, { recursive: true });
  await writeFile(join(data, 'instance.json'), JSON.stringify(ports));
  for (const name of ['repositories', 'remotes', 'attachments', 'releases', 'ssh']) await mkdir(join(data, name));
  await execa('chroot', [root, 'chown', '-R', account, inside]);
  const entered = [`--userspec=${account}`, root, 'sh', '-c', 'cd "$HOME" && exec "$@"', 'sh'];
  const seeded = await execa('chroot', [...entered, 'python3', 'seed.py'], { env, extendEnv: false });
  const servers: ChildProcess[] = [];
  const start = (name: string, ...command: string[]): void => {
    const log = openSync(join(data, `${name}.log`), 'a');
    // The kernel ends each of them with this process; `close` ends them together with what they started.
    const args = [...entered, 'setpriv', '--pdeathsig', 'KILL', ...command];
    const [file, rest] = limited('chroot', args, { memoryBytes, cpuSeconds: 600 });
    servers.push(spawn(file, rest, { detached: true, stdio: ['ignore', log, log], env }));
  };
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(end));
    await rm(data, { recursive: true, force: true });
  };
  start('redis', 'redis-server', '--port', String(ports.redis), '--bind', '127.0.0.1', '--save', '');
  start('web', 'gunicorn', '-b', `127.0.0.1:${ports.web}`, '-w', '1', '--threads', '4', 'application:application');
  // A solo pool needs no shared memory, which the root directory does not have.
  const worker = ['-P', 'solo', '--loglevel=INFO', '-n'];
  start('tasks', 'celery', '-A', 'pagure.lib.tasks', 'worker', ...worker, 'tasks');
  start('hooks', 'celery', '-A', 'pagure.lib.tasks_services', 'worker', ...worker, 'hooks', '-Q', 'pagure_webhook');
  const pagure = open(`http://127.0.0.1:${ports.web}`, JSON.parse(seeded.stdout), close);
  try {
    await answers(pagure, servers);
    return pagure;
  } catch (error) {
    const logs = await Promise.all(['redis', 'web', 'tasks', 'hooks'].map((name) => tail(join(data, `${name}.log`))));
    await close();
    throw new Error(`Pagure does not start:\n${logs.join('\n')}`, { cause: error });
  }
}

function open(url: string, tokens: Pagure['tokens'], close: () => Promise<void>): Pagure {
  const call: Pagure['call'] = async (path, form, token = tokens.bot) => {
    const response = await fetch(`${url}/api/0/${path}`, {
      headers: { authorization: `token ${token}` },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 2_000)}`);
    return Object(JSON.parse(text));
  };
  return {
    url,
    tokens,
    call,
    async createProject(name, options = {}) {
      const form = { name, description: 'A test', create_readme: 'true', wait: 'true', ...options };
      await call('new', form);
    },
    close,
  };
}

async function answers(pagure: Pagure, servers: readonly ChildProcess[]): Promise<void> {
  const deadline = Date.now() + 150_000;
  for (;;) {
    const failure = await pagure.call('version').then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    const ended = servers.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    if (ended !== undefined || Date.now() > deadline) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.pid === undefined) return;
  const isRunning = server.exitCode === null && server.signalCode === null;
  const gone = isRunning ? new Promise((resolve) => server.once('exit', resolve)) : undefined;
  try {
    process.kill(-server.pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
  await gone;
}

async function tail(path: string): Promise<string> {
  return `${basename(path)}: ${(await readFile(path, 'utf8')).slice(-2_000)}`;
}
