import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../lib/errors.ts';
import { runProgram } from '../../lib/program.ts';
import type { Binaries } from './binaries.ts';
import { grant, type Identity } from './identity.ts';
import type { Layout } from './layout.ts';
import { endInitialization } from './processes.ts';

const majorVersion = 18;

/** Environment of the server programs: nothing of ours, and messages independent of the machine's locale. */
export const serverEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** It takes a second; a slow disk may make a minute of it. */
const initializeTimeoutMs = 300_000;

const initdbFlags = [
  '--username=guildhall',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--no-instructions',
];

/**
 * Makes sure that a cluster of the right version exists. It is made under another name and renamed when it is complete
 * and on disk, so a crash in between leaves nothing that looks like a cluster.
 *
 * @returns whether it was created now
 */
export async function ensureCluster(options: {
  layout: Layout;
  binaries: Binaries;
  identity: Identity;
  durable: boolean;
  signal: AbortSignal | undefined;
}): Promise<boolean> {
  const { layout, binaries, identity } = options;
  await endInitialization(layout.initializing);
  rmSync(layout.initializing, { recursive: true, force: true });
  if (existsSync(layout.cluster)) {
    checkVersion(layout.cluster);
    return false;
  }
  mkdirSync(layout.initializing, { mode: 0o700 });
  grant(identity, { dataDir: layout.dataDir, owned: [layout.initializing], binaries });
  await initialize(options);
  renameSync(layout.initializing, layout.cluster);
  syncDirectory(layout.dataDir);
  return true;
}

async function initialize(options: {
  layout: Layout;
  binaries: Binaries;
  identity: Identity;
  durable: boolean;
  signal: AbortSignal | undefined;
}): Promise<void> {
  const command = [
    ...options.identity.prefix,
    options.binaries.initdb,
    `--pgdata=${options.layout.initializing}`,
    ...initdbFlags,
    ...(options.durable ? [] : ['--no-sync']),
  ];
  try {
    await runProgram(command, {
      cwd: options.layout.initializing,
      env: serverEnv,
      timeoutMs: initializeTimeoutMs,
      signal: options.signal,
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new Error(`Cannot create the embedded database in ${options.layout.dataDir}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function checkVersion(cluster: string): void {
  const file = join(cluster, 'PG_VERSION');
  if (!existsSync(file)) {
    throw new Error(`${cluster} is not a PostgreSQL data directory; move it away to start with an empty database.`);
  }
  const version = readFileSync(file, 'utf8').trim();
  if (version !== String(majorVersion)) {
    throw new Error(
      `The database in ${cluster} was made by PostgreSQL ${version} and this program brings ${majorVersion}: ` +
        'move the data over with pg_dump and restore, or use DATABASE_URL.',
    );
  }
}

function syncDirectory(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
