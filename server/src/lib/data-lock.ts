import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from './directories.ts';

/** A held lock. `release` may be called more than once. */
export interface DataLock {
  release(): void;
}

/**
 * Claims a data directory for this process, and creates it if missing. Throws a message for the operator when another process
 * holds it.
 */
export function acquireDataLock(dir: string): DataLock {
  return acquireFileLock(
    join(dir, 'lock'),
    (holder) =>
      `The data directory ${dir} is in use by another Guildhall${holder}. ` +
      'Stop that process first, or choose another directory with --data.',
  );
}

/**
 * Takes an exclusive kernel lock (flock) on a file. `flock(1)` locks the open file that it shares with this process, so the
 * lock lives as long as our descriptor. The kernel frees it however the process ends; neither a reused process id nor another
 * container on the same volume can break it. The file is kept: after a removal, two processes could lock two files of the same
 * name.
 */
export function acquireFileLock(path: string, refusal: (holder: string) => string): DataLock {
  // Others may traverse the directory (a sandbox's user needs to), but not list it.
  makeDirectory(dirname(path), 0o711);
  const fd = openSync(path, 'a+', 0o600);
  const result = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd], timeout: 10_000 });
  if (result.status !== 0) {
    const holder = readFileSync(path, 'utf8').trim();
    closeSync(fd);
    if (result.error !== undefined) {
      throw new Error(`Cannot lock ${path}: the program flock does not start. Install the Debian package util-linux.`, {
        cause: result.error,
      });
    }
    if (result.status === 1) {
      throw new Error(refusal(/^\d+$/.test(holder) ? ` (process ${holder})` : ''));
    }
    throw new Error(`Cannot lock ${path}: ${result.stderr.toString().trim() || `flock exited ${result.status}`}`);
  }
  ftruncateSync(fd);
  writeSync(fd, `${process.pid}\n`);
  let held = true;
  return {
    release() {
      if (held) {
        held = false;
        closeSync(fd);
      }
    },
  };
}
