import { setTimeout as delay } from 'node:timers/promises';
import type { OwnConnection } from '../db/own-connection.ts';
import {
  announceWorker,
  declareGone,
  declareOthersGone,
  findFreeWorkers,
  withdrawWorker,
  type Present,
} from '../features/sessions/run/presence-service.ts';
import { messageOf } from '../lib/errors.ts';
import { backoffMs } from '../lib/retry.ts';
import type { WorkerContext } from './context.ts';

interface PresenceOptions {
  /** Called when workers were found to have ended: their sessions can be claimed. */
  onGone(): void;
  leases: {
    /** Called when this worker's own lock was lost: a heartbeat is another sign of life. */
    beat(): void;
    /** Called when it has its lock again: the database may have failed for everybody. */
    afterOutage(): void;
  };
}

/** Interval of looks for lost workers. */
const lookMs = 500;
/** A lock must have been free for so long, in each look, before its worker counts as lost. */
const graceMs = 1_000;
const backoff = { firstMs: 50, maxMs: 500 };

/**
 * Shows that this worker's process lives, by a lock on a connection of its own, and looks for workers whose lock is free:
 * the kernel closes the connections of a process that ends, and the server then frees its locks. A worker that is merely
 * stopped or slow keeps its lock, and has its sessions until their leases expire.
 */
export class Presence {
  readonly #ctx: Pick<WorkerContext, 'config' | 'db' | 'log' | 'timings'>;
  readonly #options: PresenceOptions;
  readonly #stopping = new AbortController();
  #done: Promise<void> = Promise.resolve();
  /** The withdrawal of the last announcement; true if the server still listed it. */
  #withdrawn: Promise<boolean> = Promise.resolve(false);
  /** When each lock was first seen free, by {@link keyOf}. */
  #freeSince = new Map<string, number>();
  #judgesFrom = 0;
  /** True for a connection that is not the first one. */
  #isAgain = false;

  constructor(ctx: Pick<WorkerContext, 'config' | 'db' | 'log' | 'timings'>, options: PresenceOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#ctx.config.isDatabaseNew) await declareOthersGone(this.#ctx, this.#worker);
    this.#done = this.#run();
  }

  /** Frees the lock, without being taken for lost. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
    await this.#withdrawn;
  }

  get #worker(): string {
    return this.#ctx.config.processId;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      const connection = await this.#connect();
      if (connection !== undefined) {
        failures = 0;
        const isDirect = await this.#hold(connection);
        this.#withdrawn = this.#withdraw(connection);
        if (!isDirect || signal.aborted) {
          // The others must not see the lock of a worker free that stops.
          await this.#withdrawn;
          return connection.close();
        }
        // The next connection does not wait for the end of this one.
        void connection.close();
        this.#options.leases.beat();
        this.#isAgain = true;
      }
      failures += 1;
      await delay(backoffMs(failures, backoff), undefined, { signal }).catch(() => undefined);
    }
  }

  async #connect(): Promise<OwnConnection | undefined> {
    try {
      return await this.#ctx.db.connect('guildhall presence');
    } catch (error) {
      this.#ctx.log.debug({ reason: messageOf(error) }, 'failed to connect for the lock of this worker');
      return undefined;
    }
  }

  /** Holds the lock and looks at the others' until the connection is lost. Returns false if it cannot be used. */
  async #hold(connection: OwnConnection): Promise<boolean> {
    const { signal } = this.#stopping;
    const { log } = this.#ctx;
    const over = new AbortController();
    void connection.lost.then((reason) => over.abort(reason));
    const ending = AbortSignal.any([signal, over.signal]);
    try {
      const announced = await announceWorker(connection, this.#worker);
      if (announced === undefined) {
        log.warn('the database is behind a pooler, so lost workers are only noticed when their leases expire');
        return false;
      }
      if (this.#isAgain) this.#regain(announced.wasListed || (await this.#withdrawn));
      while (!ending.aborted) {
        await this.#look(connection);
        await delay(lookMs, undefined, { signal: ending }).catch(() => undefined);
      }
      if (!signal.aborted)
        log.warn({ reason: over.signal.reason }, 'the connection with the lock of this worker was lost');
    } catch (error) {
      if (!signal.aborted) log.warn({ reason: messageOf(error) }, 'failed to look for lost workers');
    }
    return true;
  }

  #regain(wasListed: boolean): void {
    // A server that failed lists only those that came back. Otherwise something in between may have closed the connections
    // of all workers, and nobody is judged before the others have had the time to come back.
    if (wasListed) this.#judgesFrom = performance.now() + this.#ctx.timings.leaseMs;
    this.#freeSince = new Map();
    this.#options.leases.afterOutage();
  }

  async #look(connection: OwnConnection): Promise<void> {
    const askedAt = performance.now();
    const { isListed, free } = await findFreeWorkers(connection);
    const answeredAt = performance.now();
    const before = this.#freeSince;
    this.#freeSince = new Map(free.map((one) => [keyOf(one), before.get(keyOf(one)) ?? answeredAt]));
    if (!isListed) await announceWorker(connection, this.#worker);
    if (askedAt < this.#judgesFrom) return;
    let found = 0;
    for (const one of free) {
      const since = before.get(keyOf(one));
      if (since === undefined || askedAt - since < graceMs || !(await declareGone(connection, one))) continue;
      found += 1;
      this.#ctx.log.warn({ worker: one.id }, 'a worker was lost; its sessions go on elsewhere');
    }
    if (found > 0) this.#options.onGone();
  }

  async #withdraw(connection: OwnConnection): Promise<boolean> {
    try {
      return await withdrawWorker(this.#ctx, this.#worker, connection);
    } catch (error) {
      this.#ctx.log.debug({ reason: messageOf(error) }, 'failed to withdraw the presence of this worker');
      return false;
    }
  }
}

/** A new connection and each heartbeat are signs of life, from which on the time counts again. */
function keyOf({ id, backend_pid, seen }: Present): string {
  return `${id} ${backend_pid} ${seen}`;
}
