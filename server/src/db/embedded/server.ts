import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { release } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Binaries } from './binaries.ts';
import { serverEnv } from './cluster.ts';
import type { Identity } from './identity.ts';
import { type Layout, socketUrl } from './layout.ts';
import { endServer } from './processes.ts';
import { watch, type WatchedServer } from './watcher.ts';

/** Recovery after a crash may replay a lot; the server says "starting up" meanwhile. */
const readyTimeoutMs = 5 * 60_000;
const databaseName = 'guildhall';

const baseSettings: Record<string, string> = {
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Compiling a plan costs more than any query here takes.
  jit: 'off',
  ...(syncsFileSystems(release()) ? { recovery_init_sync_method: 'syncfs' } : {}),
};

/** True if one call writes a whole file system and reports errors, as on Linux since 5.8: after a crash quicker than file by file. */
function syncsFileSystems(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}

export interface ServerOptions {
  layout: Layout;
  binaries: Binaries;
  identity: Identity;
  settings: Record<string, string>;
  disposable: boolean;
}

/** Starts the server on an existing cluster; resolves when it answers queries. */
export async function startServer(
  options: ServerOptions,
  { signal, onProcess }: { signal?: AbortSignal | undefined; onProcess?: (() => void) | undefined } = {},
): Promise<WatchedServer> {
  const { layout } = options;
  const logStart = statSync(layout.logFile, { throwIfNoEntry: false })?.size ?? 0;
  const server = await watch({
    command: [...options.identity.prefix, options.binaries.postgres, ...serverFlags(options)],
    logFile: layout.logFile,
    cwd: layout.cluster,
    env: serverEnv,
    remove: options.disposable ? layout.dataDir : undefined,
  });
  onProcess?.();
  const exit = new AbortController();
  void server.exited.then(({ code }) => exit.abort(new Error(`PostgreSQL exited with status ${code}`)));
  try {
    await ready(layout, AbortSignal.any(signal === undefined ? [exit.signal] : [exit.signal, signal]));
  } catch (error) {
    if (exit.signal.aborted) {
      throw new Error(`The embedded database does not start:\n${tail(layout.logFile, logStart)}`, { cause: error });
    }
    await endServer(server.pid, { fastMs: 3000, immediateMs: 2000 });
    throw error;
  }
  return server;
}

function serverFlags({ layout, settings }: ServerOptions): string[] {
  const all = { ...baseSettings, ...settings, unix_socket_permissions: '0700' };
  // A list in PostgreSQL's own quoting: a path may hold commas and spaces.
  const sockets = `"${layout.socketDir.replaceAll('"', '""')}"`;
  const rest = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', layout.cluster, '-h', '', '-k', sockets, ...rest];
}

/** Waits for a real connection and a query; creates our database when the cluster is new. */
async function ready(layout: Layout, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  let database = databaseName;
  for (;;) {
    signal.throwIfAborted();
    const code = await attempt(socketUrl(layout, database), database === databaseName);
    if (code === undefined && database === databaseName) {
      return;
    }
    if (code === undefined || code === invalidCatalog) {
      database = code === undefined ? databaseName : 'postgres';
    } else if (performance.now() > deadline) {
      throw new Error(`The embedded database did not answer within ${readyTimeoutMs / 1000} s (${code}).`);
    } else {
      await delay(10, undefined, { signal });
    }
  }
}

const invalidCatalog = '3D000';
/** Starting up, shutting down, no socket yet, nobody listening, closed while it starts: all pass. */
const passing = new Set(['57P03', '57P01', 'ENOENT', 'ECONNREFUSED', 'ECONNRESET']);

/** One try: undefined when it worked, else the code of what to do next. */
async function attempt(connectionString: string, isOurs: boolean): Promise<string | undefined> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  // Ignores a connection that breaks after the query: the next query reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(isOurs ? 'select 1' : `create database ${databaseName}`);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code !== undefined && (passing.has(code) || code === invalidCatalog)) {
      return code;
    }
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** The last lines that the server logged after an offset. */
function tail(file: string, offset: number): string {
  const fd = openSync(file, 'r');
  try {
    const size = statSync(file).size;
    const start = Math.max(size - 4096, size < offset ? 0 : offset);
    const buffer = Buffer.alloc(Math.max(size - start, 0));
    readSync(fd, buffer, 0, buffer.length, start);
    return buffer.toString('utf8').trim() || `(nothing in ${file})`;
  } finally {
    closeSync(fd);
  }
}
