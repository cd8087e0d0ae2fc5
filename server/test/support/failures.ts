import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import type { TestApi } from './api.ts';
import { mutePackageManagers } from './package-managers.ts';
import type { TestEvent } from './sessions.ts';

/** Returns what users see of a session's fate, one line each: changes of its status, warnings and errors. */
export function told(events: readonly TestEvent[]): string[] {
  return events.flatMap(({ kind, data }) => {
    if (kind === 'status') return [`${String(data['status'])} ${String(data['status_detail'])}`.trim()];
    return kind === 'warning' || kind === 'error'
      ? [`${kind} ${String(data['code'])}: ${String(data['message'])}`]
      : [];
  });
}

/** Returns the output of commands, in order. */
export function printedBy(events: readonly TestEvent[]): string {
  return events
    .filter(({ kind }) => kind === 'output')
    .map(({ data }) => String(data['text']))
    .join('');
}

export interface Held {
  /** Releases it; returns the server's response as text. */
  release(): Promise<string>;
}

/** A proxy to a git host or a model that can be cut, and that can hold calls. */
export interface HttpProxy {
  url: string;
  /** While true, calls get a 503. */
  down: boolean;
  /** Returns the number of calls while it was down. */
  refusedCalls(): number;
  /**
   * Holds the next call whose `METHOD path` matches: its request before the server sees it, or its response before the
   * client does. Resolves when there is one; rejects if none comes.
   */
  hold(matches: RegExp, what: 'request' | 'answer'): Promise<Held>;
  close(): Promise<void>;
}

interface Trap {
  matches: RegExp;
  what: 'request' | 'answer';
  caught(held: Held): void;
}

const patienceMs = 150_000;

export async function startProxy(target: string): Promise<HttpProxy> {
  const traps: Trap[] = [];
  let refused = 0;
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    if (proxy.down) {
      refused += 1;
      response.writeHead(503).end('It is down.');
      return;
    }
    void pass(request, response).catch(() => response.destroy());
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = `${request.method ?? ''} ${request.url ?? ''}`;
    const index = traps.findIndex(({ matches }) => matches.test(name));
    const [trap] = index < 0 ? [] : traps.splice(index, 1);
    const gate = Promise.withResolvers<void>();
    const said = Promise.withResolvers<string>();
    said.promise.catch(() => undefined);
    const held: Held = {
      release: () => {
        gate.resolve();
        return said.promise;
      },
    };
    try {
      // The body is read completely, so that a client that dies meanwhile does not withdraw it.
      const body = await readAll(request);
      if (trap?.what === 'request') {
        trap.caught(held);
        await gate.promise;
      }
      const answer = await ask(target, request, body);
      const text = await readAll(answer);
      if (trap?.what === 'answer') {
        trap.caught(held);
        await gate.promise;
      }
      said.resolve(text.toString('utf8'));
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
    } catch (error) {
      said.reject(error);
      throw error;
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const proxy: HttpProxy = {
    url: `http://127.0.0.1:${port}`,
    down: false,
    refusedCalls: () => refused,
    hold: (matches, what) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no call of ${matches.source} came`)), patienceMs);
        const caught = (held: Held): void => {
          clearTimeout(late);
          resolve(held);
        };
        traps.push({ matches, what, caught });
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

function ask(target: string, request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const { 'transfer-encoding': _chunked, host: _host, ...headers } = request.headers;
  const options = {
    method: request.method ?? 'GET',
    headers: { ...headers, ...(body.length > 0 ? { 'content-length': body.length } : {}) },
  };
  return new Promise((resolve, reject) => {
    send(new URL(request.url ?? '/', target), options, resolve)
      .on('error', reject)
      .end(body);
  });
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** A worker as the product starts it, in its own process. */
export interface WorkerProcess {
  process: ChildProcess;
  /** Its own data directory, shared with nobody. */
  data: string;
  exited: Promise<void>;
  /** Returns its log so far. */
  log(): string;
  /** Kills it and removes its files. */
  close(): Promise<void>;
}

const main = new URL('../../src/main.ts', import.meta.url).pathname;

/**
 * Starts a worker that shares database, blobs and key ring with the API, and reaches repositories at `url`. It finds no
 * package registries unless the PATH in `environment` has package managers.
 */
export async function startWorkerProcess(
  api: TestApi,
  url: string,
  environment: Record<string, string> = {},
): Promise<WorkerProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-worker-'));
  const data = join(directory, 'data');
  const path = await mutePackageManagers(join(directory, 'programs'));
  const child = spawn(process.execPath, [main, '--role', 'worker', '--data', data, '--json'], {
    env: {
      ...process.env,
      PATH: path,
      DATABASE_URL: api.ctx.config.databaseUrl,
      GUILDHALL_URL: url,
      GUILDHALL_BLOBS: api.ctx.config.blobs,
      GUILDHALL_KEY_RING: api.ctx.config.keyRing,
      GUILDHALL_LOG_LEVEL: 'fatal',
      GUILDHALL_METRICS_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const worker: WorkerProcess = {
    process: child,
    data,
    exited,
    log: () => stderr,
    async close() {
      child.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"ready"')) return worker;
  }
  await worker.close();
  throw new Error(`the worker did not start: ${stderr}`);
}

/** Locks a table against writes until it is released. */
export async function lockTable(connectionString: string, table: string): Promise<{ release(): Promise<void> }> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query('begin');
  await client.query(`lock table ${table} in share mode`);
  return {
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}
