import { hostname } from 'node:os';
import { wakeWarm, type WokenSession } from '../features/sessions/run/warm-service.ts';
import {
  claim,
  claimNext,
  orphanedSessions,
  LeaseLost,
  type ClaimedRun,
} from '../features/sessions/run/run-service.ts';
import { removeWorker, type WorkerState } from '../features/sessions/run/worker-service.ts';
import { messageOf } from '../lib/errors.ts';
import type { WorkerContext } from './context.ts';
import { Leases, type RenewedLease } from './leases.ts';
import type { OwnSession } from './own-session.ts';
import { Presence } from './presence.ts';
import { RunControl } from './session/attempt/control.ts';
import { runSession } from './session/run.ts';
import { keepSwept } from './sweep.ts';

export interface SessionWorker {
  /** Accepts no more sessions, hands over its own with a checkpoint each, and stops within `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  /** Number of sessions it works on now. */
  busy(): number;
}

/** Lifetime of a warm sandbox after a turn. */
const warmMs = 5 * 60_000;

/** Runs sessions, up to `slots` at once, until it is drained. */
export async function startWorker(ctx: WorkerContext, { slots }: { slots: number }): Promise<SessionWorker> {
  const worker = new Worker(ctx, slots);
  await worker.start();
  return worker;
}

class Worker implements SessionWorker {
  readonly #ctx: WorkerContext;
  readonly #slots: number;
  readonly #sessions = new Map<string, OwnSession>();
  /** Claims under way; each takes a slot. */
  readonly #claiming = new Set<Promise<unknown>>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #ends: (() => void)[] = [];
  #draining = false;
  #isolation: object = {};
  readonly #leases: Leases<OwnSession>;
  readonly #presence: Presence;
  #polling: Promise<void> | undefined;
  #pollAgain = false;

  constructor(ctx: WorkerContext, slots: number) {
    this.#ctx = ctx;
    this.#slots = slots;
    this.#leases = new Leases<OwnSession>(ctx, {
      held: () => [...this.#sessions.values()],
      worker: () => this.#state(),
      onRenewed: (session, row, askedAt) => this.#applyRequests(session, row, askedAt),
      onRegained: ({ control, endWait }, blindMs) => {
        if (endWait === undefined) control.onRegained(blindMs);
      },
    });
    this.#presence = new Presence(ctx, { leases: this.#leases, onGone: () => void this.#poll() });
  }

  async start(): Promise<void> {
    const ctx = this.#ctx;
    const { isolation } = await ctx.sandbox.probe();
    this.#isolation = { driver: ctx.sandbox.name, ...isolation };
    await this.#leases.reportWorker();
    // Before the first claim, which can follow as soon as a lost worker is seen.
    this.#leases.start();
    await this.#presence.start();
    const onControl = (id: string | undefined): void => {
      if (id === undefined) {
        this.#leases.beat();
        for (const session of this.#sessions.values()) void this.#checkForWork(session);
        return;
      }
      const session = this.#sessions.get(id);
      if (session?.endWait !== undefined) void this.#checkForWork(session);
      else if (session !== undefined) this.#leases.beat();
    };
    this.#ends.push(
      keepSwept(ctx),
      ctx.notifications.subscribe('guildhall_control', undefined, onControl),
      ctx.notifications.subscribe('guildhall_dispatch', undefined, () => void this.#poll()),
    );
    this.#timers.push(setInterval(() => void this.#poll(), ctx.timings.pollMs));
    // A start does not wait for it: it ends when nothing is left to claim.
    void this.#poll();
  }

  busy(): number {
    let busy = 0;
    for (const { endWait } of this.#sessions.values()) if (endWait === undefined) busy += 1;
    return busy;
  }

  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    for (const { control, endWait } of this.#sessions.values()) {
      control.stopTurn('drain');
      endWait?.(undefined);
    }
    // Sessions that do not end in time lose their lease, and another worker takes them over.
    const late = setTimeout(() => {
      for (const { control } of this.#sessions.values()) control.loseLease(new Error('The worker is stopping.'));
    }, timeoutMs);
    this.#leases.beat();
    while (this.#claiming.size + this.#sessions.size > 0) {
      await Promise.all([...this.#claiming, ...[...this.#sessions.values()].map(({ ended }) => ended)]);
    }
    clearTimeout(late);
    for (const timer of this.#timers) clearInterval(timer);
    for (const end of this.#ends) end();
    // The caller closes the database next.
    await Promise.all([this.#leases.stop(), this.#presence.stop(), this.#polling]);
    try {
      await removeWorker(this.#ctx, this.#ctx.config.processId);
    } catch (error) {
      this.#warn(error, 'failed to unregister the worker');
    }
  }

  get #free(): number {
    return this.#draining || this.#ctx.problem() !== '' ? 0 : this.#slots - this.busy() - this.#claiming.size;
  }

  /** Claims a session and starts to work on it. Resolves to false when there was none to claim. */
  async #take(claimOne: () => Promise<ClaimedRun | undefined>): Promise<boolean> {
    return this.#inSlot(async () => {
      const renewedAt = performance.now();
      const claimed = await claimOne();
      if (claimed === undefined) return false;
      const control = new RunControl({
        waitForWork: () => this.#waitForWork(run),
        catchUp: async () => {
          const own = this.#sessions.get(run.id);
          if (own !== undefined) await this.#leases.catchUp(own);
        },
      });
      const run: ClaimedRun = { ...claimed, lost: control.lost };
      if (this.#draining) control.stopTurn('drain');
      const session: OwnSession = { run, control, ended: Promise.resolve(), renewedAt, endWait: undefined };
      // The run may end before this function returns.
      this.#sessions.set(run.id, session);
      session.ended = this.#work(run, control);
      return true;
    });
  }

  /** Occupies a slot for the duration of `work`. */
  async #inSlot<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    const settled = working.catch(() => undefined);
    this.#claiming.add(settled);
    try {
      return await working;
    } finally {
      this.#claiming.delete(settled);
    }
  }

  /**
   * Waits with a warm sandbox for a message; undefined after {@link warmMs}, or later while somebody has a terminal in it.
   * Beyond one per slot, the oldest wait ends.
   */
  async #waitForWork(run: ClaimedRun): Promise<WokenSession | undefined> {
    const session = this.#sessions.get(run.id);
    if (session?.run !== run || this.#draining || session.control.lost.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<WokenSession | undefined>();
    const wasFull = this.#free < 1;
    session.endWait = resolve;
    // Moves it to the end: the oldest comes first.
    this.#sessions.delete(run.id);
    this.#sessions.set(run.id, session);
    const end = (): void => resolve(undefined);
    const timer = setInterval(() => this.#ctx.live.hasTerminals(run.id) || end(), warmMs);
    session.control.lost.addEventListener('abort', end);
    const waits = [...this.#sessions.values()].flatMap((other) => other.endWait ?? []);
    if (waits.length > this.#slots) waits[0]?.(undefined);
    if (wasFull) void this.#poll();
    // A message may have arrived before `endWait` was set.
    void this.#checkForWork(session);
    try {
      return await promise;
    } finally {
      session.endWait = undefined;
      session.control.lost.removeEventListener('abort', end);
      clearInterval(timer);
    }
  }

  /** Checks a session with a warm sandbox for work; one check at a time, because each takes a slot that others may need. */
  async #checkForWork(session: OwnSession): Promise<void> {
    session.isCheckRequested = true;
    if (session.isChecking === true) return;
    session.isChecking = true;
    while (session.isCheckRequested && session.endWait !== undefined) await this.#checkOnce(session);
    session.isChecking = false;
  }

  /** Resumes the session if it has work and a slot is free. Otherwise it queues, and loses its warm sandbox. */
  async #checkOnce(session: OwnSession): Promise<void> {
    session.isCheckRequested = false;
    const hasSlot = this.#free > 0;
    const check = async (): Promise<void> => {
      const wanted = await wakeWarm(this.#ctx, session.run, { hasSlot });
      const end = session.endWait;
      if (wanted === undefined || end === undefined) return;
      // From here on the session takes the slot itself.
      session.endWait = undefined;
      end(wanted === 'waits' ? undefined : wanted);
    };
    try {
      await (hasSlot ? this.#inSlot(check) : check());
    } catch (error) {
      if (error instanceof LeaseLost) session.control.loseLease(error);
      else this.#warn(error, 'failed to resume a session with a warm sandbox');
    }
  }

  async #work(run: ClaimedRun, control: RunControl): Promise<void> {
    await runSession(this.#ctx, run, control);
    this.#sessions.delete(run.id);
    // This session may be queued again already.
    void this.#poll();
  }

  /** Looks for sessions to claim. A call during a poll leads to one more after it. */
  #poll(): Promise<void> {
    this.#pollAgain = true;
    return (this.#polling ??= this.#pollAll());
  }

  async #pollAll(): Promise<void> {
    while (this.#pollAgain) {
      this.#pollAgain = false;
      try {
        await this.#pollOnce();
      } catch (error) {
        this.#warn(error, 'failed to poll for sessions');
      }
    }
    this.#polling = undefined;
  }

  /** Sessions to resume come first: they were admitted before. */
  async #pollOnce(): Promise<void> {
    const owner = this.#ctx.config.processId;
    const takesOver = this.#leases.mayTakeOver;
    const { leaseMs } = this.#ctx.timings;
    // Some may be this worker's own, whose slot is about to become free.
    const wanted = (): number => (this.#free < 1 ? 0 : this.#free + this.#sessions.size);
    for await (const id of orphanedSessions(this.#ctx, wanted, takesOver))
      if (this.#free > 0 && !this.#sessions.has(id))
        await this.#take(() => claim(this.#ctx, id, owner, { takesOver, leaseMs }));
    // Behind a limit a hundred thousand may wait to be put into its queue; lost sessions must not wait for that.
    const isWanted = (): boolean => this.#pollAgain;
    const next = () =>
      claimNext(this.#ctx, owner, { takesOver, leaseMs, isWanted, except: [...this.#sessions.keys()] });
    while (this.#free > 0 && (await this.#take(next)));
  }

  /** Applies a user's request to suspend or interrupt a session, and its current time limit. */
  #applyRequests(session: OwnSession, row: RenewedLease, askedAt: number): void {
    const { control } = session;
    control.maxMinutes = row.max_minutes ?? undefined;
    if (session.endWait !== undefined) {
      if (row.status === 'queued' || row.status === 'running') void this.#checkForWork(session);
    } else if (row.suspend_requested) control.stopTurn('suspend', askedAt);
    else if (row.interrupt_requested) control.stopTurn('interrupt', askedAt);
  }

  #state(): WorkerState {
    return {
      id: this.#ctx.config.processId,
      host: hostname(),
      slots: this.#slots,
      busy: this.busy(),
      draining: this.#draining,
      sandbox: this.#isolation,
      problem: this.#ctx.problem(),
    };
  }

  #warn(error: unknown, what: string): void {
    this.#ctx.log.warn({ reason: messageOf(error) }, what);
  }
}
