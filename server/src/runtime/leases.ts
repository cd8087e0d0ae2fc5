import type { Database } from '../db/pool.ts';
import { heartbeat, type ClaimedRun } from '../features/sessions/run/run-service.ts';
import { recordWorker, type WorkerState } from '../features/sessions/run/worker-service.ts';
import { messageOf } from '../lib/errors.ts';
import type { WorkerContext } from './context.ts';
import type { RunControl } from './session/attempt/control.ts';

/** A session that this worker has a lease on. */
export interface HeldLease {
  readonly run: ClaimedRun;
  readonly control: RunControl;
  /** Time of the last successful renewal request, in milliseconds of `performance.now()`. */
  renewedAt: number;
}

/** One row of {@link heartbeat}'s result. */
export type RenewedLease = Awaited<ReturnType<typeof heartbeat>>[number];

type LeasesContext = Pick<WorkerContext, 'clock' | 'db' | 'log' | 'timings'>;

interface LeasesOptions<Held> {
  /** Sessions that the worker has at the moment. */
  held(): Held[];
  /** The worker as it is now, for its record. */
  worker(): WorkerState;
  /** Called for each session that is still this worker's. */
  onRenewed(held: Held, row: RenewedLease, askedAt: number): void;
  /** Called when a lease is renewed after it had run out. */
  onRegained(held: Held, maxBlindMs: number): void;
}

/** Delay before a renewal is retried that another transaction's row lock prevented. */
const retryMs = 250;
/** Time a run continues without the database; its writes wait meanwhile. */
const blindMs = 10 * 60_000;

/**
 * Renews a worker's leases, also expired ones while their fencing token is the newest: during an outage of the database
 * no other worker can take a session over.
 */
export class Leases<Held extends HeldLease> {
  readonly #ctx: LeasesContext;
  readonly #options: LeasesOptions<Held>;
  /** The statements of many runs at once keep the pool busy for longer than a lease lasts. */
  readonly #db: Database;
  readonly #timers: NodeJS.Timeout[] = [];
  #beating: Promise<void> | undefined;
  #beatAgain = false;
  #stopped = false;
  /** Time of the database's last answer, and start of the current period without a gap between answers. */
  #answeredAt = performance.now();
  #steadySince = -Infinity;

  constructor(ctx: LeasesContext, options: LeasesOptions<Held>) {
    this.#ctx = ctx;
    this.#options = options;
    this.#db = ctx.db.apart('guildhall leases');
  }

  start(): void {
    this.#timers.push(
      setInterval(() => this.beat(), this.#ctx.timings.heartbeatMs),
      setInterval(() => this.#endRunsWithoutDatabase(), 500),
    );
  }

  /** Resolves when no query is under way any more, and the connection is closed. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopped = true;
    await this.#beating;
    await this.#db.close();
  }

  /**
   * True if this worker may take over sessions with an expired lease. It must have seen the database for as long as a
   * lease lasts: after an outage the other workers come back too, and renew theirs.
   */
  get mayTakeOver(): boolean {
    const now = performance.now();
    return now - this.#answeredAt <= this.#gapMs && now - this.#steadySince >= this.#ctx.timings.leaseMs;
  }

  /** Time without an answer that counts as an outage: two missed heartbeats. */
  get #gapMs(): number {
    return 2 * this.#ctx.timings.heartbeatMs;
  }

  /** Records the worker as it is now. */
  async reportWorker(): Promise<void> {
    await recordWorker({ db: this.#db }, this.#options.worker());
  }

  /** Renews the leases now. A call during a renewal leads to one more after it. */
  beat(): void {
    if (this.#stopped) return;
    this.#beatAgain = true;
    this.#beating ??= this.#beatAll();
  }

  /** Renews the leases now, and gives the other workers the time to renew theirs. */
  afterOutage(): void {
    this.#steadySince = performance.now();
    this.beat();
  }

  /** Renews an overdue lease now, so that an outage is reported before its run ends. */
  async catchUp({ renewedAt }: Pick<HeldLease, 'renewedAt'>): Promise<void> {
    if (performance.now() - renewedAt <= this.#ctx.timings.leaseMs) return;
    this.beat();
    await this.#beating;
  }

  async #beatAll(): Promise<void> {
    while (this.#beatAgain) {
      this.#beatAgain = false;
      try {
        await this.#beatOnce();
      } catch (error) {
        this.#ctx.log.warn({ reason: messageOf(error) }, 'failed to renew the leases, or to report this worker');
      }
    }
    this.#beating = undefined;
  }

  async #beatOnce(): Promise<void> {
    const askedAt = performance.now();
    const { leaseMs } = this.#ctx.timings;
    const held = this.#options.held();
    const runs = held.map(({ run }) => run);
    const renewed = await heartbeat({ ...this.#ctx, db: this.#db }, runs, leaseMs);
    const tookMs = performance.now() - askedAt;
    if (tookMs > leaseMs / 4)
      this.#ctx.log.warn({ ms: Math.round(tookMs), sessions: runs.length }, 'the renewal of the leases took long');
    const rows = new Map(renewed.map((row) => [row.id, row]));
    let missed = false;
    for (const one of held) {
      const row = rows.get(one.run.id);
      if (row === undefined) {
        if (this.#options.held().includes(one))
          one.control.loseLease(new Error('The session was canceled, or another worker took it over.'));
        continue;
      }
      if (row.renewed) {
        if (askedAt - one.renewedAt > leaseMs) this.#options.onRegained(one, askedAt - one.renewedAt);
        one.renewedAt = askedAt;
      } else missed = true;
      this.#options.onRenewed(one, row, askedAt);
    }
    if (missed) setTimeout(() => this.beat(), retryMs).unref();
    // Without a lease to renew, this is the only statement.
    await this.reportWorker();
    this.#noteAnswer();
  }

  #noteAnswer(): void {
    const now = performance.now();
    if (now - this.#answeredAt > this.#gapMs) this.#steadySince = now;
    this.#answeredAt = now;
  }

  #endRunsWithoutDatabase(): void {
    const latest = performance.now() - blindMs;
    for (const { control, renewedAt } of this.#options.held()) {
      if (renewedAt < latest)
        control.loseLease(new Error(`The database could not be reached for ${blindMs / 60_000} minutes.`));
    }
  }
}
