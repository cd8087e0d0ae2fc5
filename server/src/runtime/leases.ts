import { heartbeat, type ClaimedRun } from '../features/sessions/run/run-service.ts';
import { messageOf } from '../lib/errors.ts';
import type { WorkerContext } from './context.ts';
import type { RunControl } from './session/attempt/control.ts';

/** A session that a worker holds. */
export interface HeldLease {
  readonly run: ClaimedRun;
  readonly control: RunControl;
  /** When its lease was last asked for, in milliseconds of `performance.now()`. */
  renewedAt: number;
}

/** Of {@link heartbeat}. */
export type Renewed = Awaited<ReturnType<typeof heartbeat>>[number];

interface LeasesOptions<Held> {
  /** What the worker holds at the moment. */
  held(): Held[];
  sayHello(): Promise<void>;
  /** Hears of each of them that is still this worker's. */
  onRenewed(held: Held, row: Renewed, askedAt: number): void;
  /** Told of one whose lease could not be renewed for longer than it lasted, and that is this worker's still. */
  onRegained(held: Held, blindMs: number): void;
}

/** When a lease is asked for again whose row a transaction held. */
const soonMs = 250;
/** For so long a run goes on without the database. What it does meanwhile waits to be written down. */
const blindMs = 10 * 60_000;

/**
 * Renews a worker's leases. One that ran out is renewed too as long as its fencing token is the newest: while the database
 * is away for everybody, nobody can take a session over.
 */
export class Leases<Held extends HeldLease> {
  readonly #ctx: WorkerContext;
  readonly #options: LeasesOptions<Held>;
  readonly #timers: NodeJS.Timeout[] = [];
  #beating: Promise<void> | undefined;
  #beatAgain = false;
  #stopped = false;
  /** When the database last answered, and since when it did so without a gap. */
  #seenAt = performance.now();
  #steadySince = -Infinity;

  constructor(ctx: WorkerContext, options: LeasesOptions<Held>) {
    this.#ctx = ctx;
    this.#options = options;
  }

  start(): void {
    this.#timers.push(
      setInterval(() => this.beat(), this.#ctx.timings.heartbeatMs),
      setInterval(() => this.#endBlindRuns(), 500),
    );
  }

  /** Resolves when nothing is asked of the database any more. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopped = true;
    await this.#beating;
  }

  /**
   * Whether what other workers hold no longer may be taken over: not until one has seen the database for as long as a
   * lease lasts. After an outage they come back too, and go on with what they have.
   */
  get takesOver(): boolean {
    const now = performance.now();
    return now - this.#seenAt <= this.#gapMs && now - this.#steadySince >= this.#ctx.timings.leaseMs;
  }

  /** Two heartbeats that did not come through. */
  get #gapMs(): number {
    return 2 * this.#ctx.timings.heartbeatMs;
  }

  /** Renews the leases now; asked for again meanwhile, once more afterwards. */
  beat(): void {
    if (this.#stopped) return;
    this.#beatAgain = true;
    this.#beating ??= this.#beatAll();
  }

  /** Renews a lease now that is overdue, so that an outage is told of before its run ends. */
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
        this.#ctx.log.warn({ reason: messageOf(error) }, 'the leases could not be renewed');
      }
    }
    this.#beating = undefined;
  }

  async #beatOnce(): Promise<void> {
    const askedAt = performance.now();
    const { leaseMs } = this.#ctx.timings;
    const held = this.#options.held();
    const runs = held.map(({ run }) => run);
    const [renewed] = await Promise.all([heartbeat(this.#ctx, runs, leaseMs), this.#options.sayHello()]);
    this.#see();
    const rows = new Map(renewed.map((row) => [row.id, row]));
    let missed = false;
    for (const one of held) {
      const row = rows.get(one.run.id);
      if (row === undefined) {
        if (this.#options.held().includes(one))
          one.control.loseLease(new Error('The session was canceled, or another worker took it.'));
        continue;
      }
      if (row.renewed) {
        if (askedAt - one.renewedAt > leaseMs) this.#options.onRegained(one, askedAt - one.renewedAt);
        one.renewedAt = askedAt;
      } else missed = true;
      this.#options.onRenewed(one, row, askedAt);
    }
    if (missed) setTimeout(() => this.beat(), soonMs).unref();
  }

  #see(): void {
    const now = performance.now();
    if (now - this.#seenAt > this.#gapMs) this.#steadySince = now;
    this.#seenAt = now;
  }

  #endBlindRuns(): void {
    const latest = performance.now() - blindMs;
    for (const { control, renewedAt } of this.#options.held()) {
      if (renewedAt < latest)
        control.loseLease(new Error(`The database could not be reached for ${blindMs / 60_000} minutes.`));
    }
  }
}
