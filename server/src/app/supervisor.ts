import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { startDatabase } from './database.ts';
import { writeShare } from './share.ts';
import { ConfigError } from '../config/values.ts';
import { serveMetrics } from '../http/metrics-server.ts';
import { createLog, type Log } from '../lib/log.ts';
import { freePort } from '../lib/ports.ts';
import { rescueConnections } from './handovers.ts';
import { createMetricsOfAll } from './metrics-of-all.ts';
import { reportOf } from './process-messages.ts';
import { claimMachine, waitToDrain, type RunningServer } from './server.ts';
import { createRestarts } from './restarts.ts';
import type { Ready } from './serving.ts';

/** Each process ends within 20 s, or is ended after this, so that the database can stop before the whole time is over. */
const drainMs = 25_000;
/** Connections that a process keeps at most, and those of the operator's commands. */
const connections = { each: 30, others: 20, least: 100 };

/**
 * Starts the configured number of processes side by side, and the database of all. This process accepts their connections
 * and hands each to one of them in turn. Throws a message for the operator, and leaves nothing open then.
 */
export async function startProcesses(config: Config): Promise<RunningServer> {
  const log = createLog(config.logLevel, 2, config.logFormat);
  for (const warning of config.warnings) log.warn(warning);
  const leaving = new AbortController();
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    leaving.abort();
    for (const close of undo.splice(0).reverse()) await close();
  };
  try {
    const lock = await claimMachine(config);
    undo.push(lock.release);
    const { each, others, least } = connections;
    const settings = { max_connections: String(Math.max(least, each * config.processes + others)) };
    const { connectionString: databaseUrl, stop: stopDatabase } = await startDatabase(config, log, { settings });
    undo.push(stopDatabase);
    const port = config.port === 0 && config.role !== 'worker' ? await freePort(config.host) : config.port;
    const processes = new Processes(config, { databaseUrl, port, log, leaving: leaving.signal });
    undo.push(() => processes.drain());
    const ready = await processes.start();
    const metrics = await serveMetrics(
      config.metricsPort,
      createMetricsOfAll(() => processes.ready()),
    );
    undo.push(() => metrics.close());
    return {
      ready: { ...ready, metrics_url: metrics.url },
      leave: async (now) => {
        processes.order('drain');
        await waitToDrain(leaving, config.drainDelayMs, now);
        processes.order('hurry');
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface ProcessesOptions {
  readonly databaseUrl: string;
  /** The same for all, and for those that follow one which ended. */
  readonly port: number;
  readonly log: Log;
  /** Aborts when no process is started again. */
  readonly leaving: AbortSignal;
}

/** The processes of this installation on this machine, each with its number. */
class Processes {
  readonly #config: Config;
  readonly #options: ProcessesOptions;
  /** Processes that live, and whether they are ready. */
  readonly #living = new Map<Worker, { number: number; isReady: boolean }>();
  readonly #kept: Promise<void>[] = [];

  constructor(config: Config, options: ProcessesOptions) {
    this.#config = config;
    this.#options = options;
    // `exec` and its arguments are those of this process.
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  /** Starts the first process, which prepares the installation, and then the others. */
  async start(): Promise<Ready> {
    const { databaseUrl } = this.#config;
    const first = await this.#startOne(1, databaseUrl === '');
    const numbers = Array.from({ length: this.#config.processes - 1 }, (_, index) => index + 2);
    const others = await Promise.all(numbers.map((number) => this.#startOne(number, false)));
    const workers = [first, ...others].flatMap(({ worker }) => worker ?? []);
    return { ...first, ...(workers.length === 0 ? {} : { worker: workers.join(' ') }) };
  }

  /** Returns the processes that are ready, by number. */
  ready(): ReadonlyMap<number, Worker> {
    return new Map([...this.#living].flatMap(([worker, { number, isReady }]) => (isReady ? [[number, worker]] : [])));
  }

  /** Tells all of them. One that is still starting has nothing to drain, and ends. */
  order(order: 'drain' | 'hurry'): void {
    for (const [worker, { isReady }] of this.#living) {
      if (!isReady) worker.process.kill('SIGTERM');
      else if (worker.isConnected()) worker.send({ order });
    }
  }

  /** Ends all of them, each with a checkpoint of its sessions. */
  async drain(): Promise<void> {
    this.order('drain');
    const late = setTimeout(() => {
      for (const [worker, { number }] of this.#living) {
        this.#options.log.error({ process: number }, 'a process did not drain in time, and is killed');
        worker.process.kill('SIGKILL');
      }
    }, drainMs);
    await Promise.all([...this.#living.keys()].map(exitOf));
    await Promise.all(this.#kept);
    clearTimeout(late);
  }

  /** Starts a process, and starts it again whenever it ends. Rejects if it ends before it was ready once. */
  async #startOne(number: number, isDatabaseNew: boolean): Promise<Ready> {
    const worker = this.#fork(number, isDatabaseNew);
    const ready = await readyOf(worker);
    this.#kept.push(this.#keep(number, worker));
    return ready;
  }

  #fork(number: number, isDatabaseNew: boolean): Worker {
    const { databaseUrl, port } = this.#options;
    const share = { number, count: this.#config.processes, port, databaseUrl, isDatabaseNew };
    const worker = cluster.fork(writeShare(share));
    rescueConnections(worker);
    const state = { number, isReady: false };
    this.#living.set(worker, state);
    worker.on('message', (message) => {
      if (reportOf(message)?.report === 'ready') state.isReady = true;
    });
    // The cause is the exit that follows.
    worker.on('error', () => undefined);
    worker.once('exit', () => this.#living.delete(worker));
    return worker;
  }

  async #keep(number: number, first: Worker): Promise<void> {
    const { log, leaving } = this.#options;
    let worker = first;
    const restarts = createRestarts();
    for (;;) {
      if (this.#living.has(worker)) await exitOf(worker);
      if (leaving.aborted) return;
      const waitMs = restarts.next(performance.now());
      const { pid, exitCode: status, signalCode: signal } = worker.process;
      const end = { process: number, pid, status, signal };
      if (waitMs === undefined) {
        log.fatal(end, 'a process ends again and again; all of them stop');
        giveUp();
        return;
      }
      log.error({ ...end, waitMs }, 'a process ended by itself; another one follows');
      await delay(waitMs, undefined, { signal: leaving }).catch(() => undefined);
      if (leaving.aborted) return;
      worker = this.#fork(number, false);
      worker.on('message', (message) => {
        const report = reportOf(message);
        if (report?.report === 'ready')
          log.info({ process: number, pid: worker.process.pid }, 'the process runs again');
        if (report?.report === 'failed')
          log.error({ process: number, reason: report.message }, 'a process did not start');
      });
    }
  }
}

async function readyOf(worker: Worker): Promise<Ready> {
  const { promise, resolve, reject } = Promise.withResolvers<Ready>();
  worker.on('message', (message) => {
    const report = reportOf(message);
    if (report?.report === 'ready') resolve(report.ready);
    if (report?.report === 'failed')
      reject(report.isOperators ? new ConfigError(report.message) : new Error(report.message));
  });
  worker.once('exit', () => {
    const { exitCode, signalCode } = worker.process;
    reject(new Error(`One of its processes ended before it was ready (${signalCode ?? exitCode}).`));
  });
  return promise;
}

/** Drains as a signal does, and exits with a failure, so that the operator's service manager notices. */
function giveUp(): void {
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}

function exitOf(worker: Worker): Promise<void> {
  return new Promise((resolve) => void worker.once('exit', () => resolve()));
}
