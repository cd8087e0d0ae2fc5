import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Running } from './running.ts';
import { systemEnv } from './system.ts';

const execFileAsync = promisify(execFile);

const shortestPauseMs = 1_000;

/** Ends a sandbox whose directory outgrew its limit, where no sized file system holds it. Looks as often as it is cheap. */
export function watchDisk(running: Running, directory: string, limitMb: number): void {
  const stopped = new AbortController();
  void running.sandbox.ended.then(() => stopped.abort());
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const startedAt = performance.now();
      const bytes = await measureBytes(directory);
      if (bytes > limitMb * 1024 * 1024) {
        await running.end('disk_full', `its files need more than ${limitMb} MB`);
        return;
      }
      const pauseMs = Math.max(shortestPauseMs, 20 * (performance.now() - startedAt));
      await delay(pauseMs, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  };
  void watch();
}

/** Bytes that a directory takes on disk; 0 when it is gone. */
async function measureBytes(directory: string): Promise<number> {
  try {
    const { stdout } = await execFileAsync('du', ['-s', '-k', '-x', '--', directory], {
      env: systemEnv,
      timeout: 60_000,
    });
    return Number.parseInt(stdout, 10) * 1024;
  } catch (error) {
    // Files come and go while they are counted, which du reports after its answer.
    if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') {
      const kilobytes = Number.parseInt(error.stdout, 10);
      return Number.isNaN(kilobytes) ? 0 : kilobytes * 1024;
    }
    return 0;
  }
}
