import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../lib/log.ts';

/**
 * Ends every PostgreSQL process that an earlier run left on a cluster directory, then removes its pid file. The caller
 * holds the lock of the directory, so none of them belongs to a live Guildhall.
 *
 * A process is ours when it runs `postgres` in the cluster directory, which every one of its processes does, so a reused
 * process id in the file cannot mislead. A pid file whose server is gone must not stay: PostgreSQL takes any live process
 * with that id for a running server. Where there is no /proc, PostgreSQL judges its own file.
 */
export async function reclaim(clusterDir: string, log: Log): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid');
  if (!existsSync(pidFile) || !existsSync('/proc/self/stat')) {
    return;
  }
  const recorded = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const postmaster = serverProcesses(clusterDir).find((pid) => pid === recorded);
  if (postmaster !== undefined) {
    log.warn({ pid: postmaster }, 'stopping a database server that an earlier run left behind');
    await endServer(postmaster, { fastMs: 3000, immediateMs: 2000 });
  }
  // The postmaster's children end by themselves when it is gone; one that does not would write beside the new server.
  if (!(await until(() => serverProcesses(clusterDir).length === 0, 3000))) {
    for (const pid of serverProcesses(clusterDir)) {
      signal(pid, 'SIGKILL');
    }
    if (!(await until(() => serverProcesses(clusterDir).length === 0, 3000))) {
      throw new Error(`Processes ${serverProcesses(clusterDir).join(', ')} of an earlier PostgreSQL do not end.`);
    }
  }
  rmSync(pidFile, { force: true });
}

/**
 * Stops a postmaster: fast shutdown, then immediate, then by force; resolves when the process is gone. The data is safe
 * in every case, the later ones cost a recovery at the next start.
 */
export async function endServer(pid: number, wait: { fastMs: number; immediateMs: number }): Promise<void> {
  signal(pid, 'SIGINT');
  if (await until(() => !isAlive(pid), wait.fastMs)) {
    return;
  }
  signal(pid, 'SIGQUIT');
  if (await until(() => !isAlive(pid), wait.immediateMs)) {
    return;
  }
  signal(pid, 'SIGKILL');
  await until(() => !isAlive(pid), 2000);
}

/**
 * Kills what an earlier run left at work on an unfinished cluster: initdb outlives a killed process, and would write into
 * the directory of the next one. The caller holds the lock of the data directory.
 */
export async function endInitialization(directory: string): Promise<void> {
  if (!existsSync(directory) || !existsSync('/proc/self/stat')) return;
  const left = (): number[] => processesIn(directory, ['unshare', 'setpriv', 'initdb', 'postgres']);
  // Each may have started another one since it was looked at.
  const haveEnded = (): boolean => left().map((pid) => signal(pid, 'SIGKILL')).length === 0;
  if (!(await until(haveEnded, 5000)))
    throw new Error(`Processes ${left().join(', ')}, which create a database in ${directory}, do not end.`);
}

/** The live `postgres` processes that work in a cluster directory. */
function serverProcesses(clusterDir: string): number[] {
  return processesIn(clusterDir, ['postgres']);
}

function processesIn(directory: string, programs: readonly string[]): number[] {
  const dir = realpathSync(directory);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isProgramIn(pid, dir, programs));
}

function isProgramIn(pid: number, dir: string, programs: readonly string[]): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === dir &&
      programs.includes(readFileSync(`/proc/${pid}/comm`, 'utf8').trim()) &&
      isAlive(pid)
    );
  } catch {
    // It ended meanwhile, or belongs to somebody whose processes are closed to us.
    return false;
  }
}

/** Returns true if a process runs; false for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return !existsSync('/proc/self/stat') && signal(pid, 0);
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) {
      return false;
    }
    await delay(10);
  }
  return true;
}
