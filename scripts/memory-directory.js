// A directory in memory for the files of a test run. On disk, they take a tenth of the run's processor time.
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const neededBytes = 8 * 1024 ** 3;
/** Short, because the path of a socket has at most 107 bytes. */
const name = /^gh(\d+)$/;
/** A run of another container, whose processes are not seen here, may still be under way. */
const leftoverAgeMs = 2 * 3_600_000;

/** Creates the directory of this process; returns undefined where memory has no place for it, or runs no programs. */
export function createMemoryDirectory(memory = '/dev/shm', needed = neededBytes) {
  try {
    removeLeftovers(memory);
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < needed) return undefined;
    const path = join(memory, `gh${process.pid}`);
    mkdirSync(path);
    if (runsPrograms(path)) {
      // For all users, as `/tmp`.
      chmodSync(path, 0o1777);
      return path;
    }
    removeMemoryDirectory(path);
  } catch {
    // There is no such file system, or it is not ours to write to.
  }
  return undefined;
}

/** Removes it, and nothing that is still mounted in it. */
export function removeMemoryDirectory(path) {
  try {
    execFileSync('rm', ['-rf', '--one-file-system', '--', path], { stdio: 'inherit' });
  } catch {
    console.log(`${path} could not be removed.`);
  }
}

function runsPrograms(path) {
  const probe = join(path, 'probe');
  writeFileSync(probe, '', { mode: 0o755 });
  try {
    accessSync(probe, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe);
  }
}

/** Removes the directories of this user's runs that were killed. */
function removeLeftovers(memory) {
  for (const entry of readdirSync(memory)) {
    const pid = Number(name.exec(entry)?.[1] ?? process.pid);
    if (isRunning(pid)) continue;
    const path = join(memory, entry);
    const info = lstatSync(path);
    const isOurs = info.isDirectory() && info.uid === process.getuid();
    if (isOurs && Date.now() - info.mtimeMs > leftoverAgeMs) removeMemoryDirectory(path);
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
