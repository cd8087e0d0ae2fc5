import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { lockForProcess, type FileLock } from '../../lib/file-lock.ts';

/** Paths of an embedded server. All but the socket directory are inside the data directory. */
export interface Layout {
  dataDir: string;
  cluster: string;
  /** initdb works here; the rename to `cluster` is the moment the cluster exists. */
  initializing: string;
  socketDir: string;
  logFile: string;
}

/** The longest path a unix socket may have (`sun_path` is 108 bytes with its final zero). */
const socketPathBytes = 107;
export const socketName = '.s.PGSQL.5432';

export function layoutOf(dataDir: string): Layout {
  const dir = resolve(dataDir);
  const inside = join(dir, 'postgres-socket');
  const fits = Buffer.byteLength(join(inside, socketName)) < socketPathBytes;
  return {
    dataDir: dir,
    cluster: join(dir, 'postgres'),
    initializing: join(dir, 'postgres.initializing'),
    socketDir: fits ? inside : join(shortTemporaryDir(), `guildhall-${shortHash(dir)}`),
    logFile: join(dir, 'postgres.log'),
  };
}

/** True if the data directory has an embedded server's database. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(layoutOf(dataDir).cluster);
}

function shortTemporaryDir(): string {
  const dir = tmpdir();
  return Buffer.byteLength(dir) < 50 ? dir : '/tmp';
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
}

/** Creates the data directory and takes the lock that keeps a second server off it. */
export async function lockLayout(layout: Layout): Promise<FileLock> {
  return lockForProcess(
    join(layout.dataDir, 'postgres.lock'),
    (holder) => `The database in ${layout.dataDir} is in use by another Guildhall${holder}.`,
  );
}

/** An empty socket directory that only we (or root) can enter. A crash leaves its socket and lock file behind. */
export function prepareSocketDir(layout: Layout): void {
  mkdirSync(layout.socketDir, { recursive: true, mode: 0o700 });
  const info = lstatSync(layout.socketDir);
  const self = process.getuid?.();
  if (!info.isDirectory() || (self !== undefined && self !== 0 && info.uid !== self)) {
    throw new Error(`${layout.socketDir} belongs to somebody else; remove it, or choose a shorter data directory.`);
  }
  chmodSync(layout.socketDir, 0o700);
  for (const name of readdirSync(layout.socketDir)) {
    if (name.startsWith(socketName)) {
      rmSync(join(layout.socketDir, name));
    }
  }
}

/** Leaves nothing outside the data directory behind. */
export function removeSocketDir(layout: Layout): void {
  rmSync(layout.socketDir, { recursive: true, force: true });
}

/** The address of a database of this server, in the form that node-postgres and libpq share. */
export function socketUrl(layout: Layout, database: string): string {
  return `postgresql://guildhall@${encodeURIComponent(layout.socketDir)}/${database}`;
}
