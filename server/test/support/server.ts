import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

export type Json = Record<string, unknown>;

/** A Guildhall process, started as by `npm start`. */
export interface ServerProcess {
  process: ChildProcess;
  url: string;
  ready: Json;
  /** The administrator's key; `''` if another process created the installation. */
  key: string;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }>;
}

const main = new URL('../../src/main.ts', import.meta.url).pathname;

export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'guildhall-server-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Creates a data directory with a database, which saves the second that creating one takes. */
export function prepareData(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // Keeps the modes, which PostgreSQL checks.
  execFileSync('cp', ['-a', join(inject('preparedData'), 'postgres'), path]);
}

/**
 * Starts the server on a data directory and waits until it is ready; rejects with its output if it fails. With `files`, it
 * can have so many files and sockets open.
 */
export async function startServerProcess(
  data: string,
  args: string[] = [],
  env: Record<string, string> = {},
  files?: number,
): Promise<ServerProcess> {
  const program = [process.execPath, main, '--port', '0', '--data', data, '--json', ...args];
  const [command = '', ...rest] = files === undefined ? program : ['prlimit', `--nofile=${files}`, ...program];
  const child = spawn(command, rest, {
    env: {
      ...process.env,
      DATABASE_URL: '',
      GUILDHALL_LOG_LEVEL: 'warn',
      GUILDHALL_METRICS_PORT: '0',
      GUILDHALL_PROCESSES: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal, stderr })),
  );
  for await (const line of createInterface({ input: child.stdout })) {
    const ready: Json = JSON.parse(line);
    if (ready['event'] !== 'ready') continue;
    const url = String(ready['url']);
    const keyFile = join(data, 'admin-key');
    const key = existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : '';
    return { process: child, url, ready, key, exited, call: caller(url, key) };
  }
  throw new Error((await exited).stderr);
}

function caller(url: string, key: string): ServerProcess['call'] {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? {} : JSON.parse(text) };
  };
}

/** Polls until the response satisfies; the error contains the last response. */
export async function until(
  server: ServerProcess,
  path: string,
  satisfied: (json: Json) => boolean,
  timeoutMs = 150_000,
): Promise<Json> {
  const deadline = Date.now() + timeoutMs;
  // Each look costs the server and this process some milliseconds of processor time.
  for (let pauseMs = 50; ; pauseMs = Math.min(250, pauseMs * 1.2)) {
    const { json } = await server.call('GET', path);
    if (satisfied(json)) return json;
    if (Date.now() > deadline) throw new Error(`${path} stayed ${JSON.stringify(json).slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Returns a user's git, with a key as a header and without this machine's configuration. */
export function gitAs(key: string, directory: string): (...args: string[]) => string {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Bearer ${key}`,
  };
  return (...args) =>
    execFileSync('git', args, { cwd: directory, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Creates a repository on the built-in host and pushes these files to its main branch. */
export async function pushProject(
  server: ServerProcess,
  repo: string,
  files: Record<string, string>,
  environment: Json = {},
): Promise<Json> {
  const { json: repository } = await server.call('POST', '/v3/organizations/default/repositories', {
    provider: 'local',
    repo,
    environment,
  });
  const source = temporaryDirectory();
  const git = gitAs(server.key, source.path);
  git('init', '--quiet', '--initial-branch=main');
  for (const [path, content] of Object.entries(files)) {
    execFileSync('mkdir', ['-p', join(source.path, dirname(path))]);
    writeFileSync(join(source.path, path), content);
  }
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
  git('push', '--quiet', String(repository['clone_url']), 'main');
  source.remove();
  return repository;
}
