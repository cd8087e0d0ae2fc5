import { setTimeout as delay } from 'node:timers/promises';
import type { Running } from './running.ts';
import { bytesOnDisk } from './system.ts';

const shortestPauseMs = 1_000;

/** Ends a sandbox whose directory outgrew its limit, where no sized file system holds it. Looks as often as it is cheap. */
export function watchDisk(running: Running, directory: string, limitMb: number): void {
  const stopped = new AbortController();
  void running.sandbox.ended.then(() => stopped.abort());
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const startedAt = performance.now();
      const bytes = await bytesOnDisk(directory);
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
