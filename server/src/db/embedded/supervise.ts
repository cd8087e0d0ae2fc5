import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { prepareSocketDir } from './layout.ts';
import { endServer, reclaim } from './processes.ts';
import { type ServerOptions, startServer } from './server.ts';
import type { WatchedServer } from './watcher.ts';

const stopWait = { fastMs: 10_000, immediateMs: 3000 };
const restartDelaysMs = [0, 250, 1000, 3000, 10_000];
const restartWindowMs = 60_000;

export interface Supervised {
  pid(): number;
  /** Resolves when no server runs any more. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server again when it ends by itself, until `stop`; gives up when it fails too often within a minute. */
export function supervise(first: WatchedServer, options: ServerOptions, log: Log): Supervised {
  const stopping = new AbortController();
  let server = first;
  // A process id is only ours to signal while its server has not been collected.
  let running = true;

  async function run(): Promise<void> {
    let failures: number[] = [];
    for (;;) {
      running = true;
      if (stopping.signal.aborted) {
        await endServer(server.pid, stopWait);
      }
      const { code } = await server.exited;
      running = false;
      if (stopping.signal.aborted) {
        return;
      }
      const now = performance.now();
      failures = [...failures.filter((at) => now - at < restartWindowMs), now];
      log.error({ status: code, failures: failures.length }, 'the embedded database ended by itself');
      const next = options.disposable
        ? undefined
        : await restart({ options, log, signal: stopping.signal, failures: failures.length });
      if (next === undefined) {
        return;
      }
      server = next;
    }
  }

  const ended = run();
  return {
    pid: () => server.pid,
    ended,
    async stop() {
      stopping.abort();
      if (running) {
        await endServer(server.pid, stopWait);
      }
      await ended;
    },
  };
}

/** Tries until a server runs again; undefined when it was stopped meanwhile or does not come back. */
async function restart(start: {
  options: ServerOptions;
  log: Log;
  signal: AbortSignal;
  failures: number;
}): Promise<WatchedServer | undefined> {
  const { options, log, signal } = start;
  for (const delayMs of restartDelaysMs.slice(start.failures - 1)) {
    try {
      await delay(delayMs, undefined, { signal });
      await reclaim(options.layout.cluster, log);
      prepareSocketDir(options.layout);
      const server = await startServer(options, { signal });
      log.warn({ pid: server.pid }, 'started the embedded database again');
      return server;
    } catch (error) {
      if (signal.aborted) {
        return undefined;
      }
      log.error({ reason: messageOf(error) }, 'the embedded database does not start again');
    }
  }
  log.fatal('the embedded database is gone');
  return undefined;
}
