import { hostname } from 'node:os';
import { wakeKept, type Wanted } from '../features/sessions/run/kept-service.ts';
import { claim, claimNext, goingOnOneByOne, LeaseLost, type ClaimedRun } from '../features/sessions/run/run-service.ts';
import { workerGone, workerSeen } from '../features/sessions/run/worker-service.ts';
import { messageOf } from '../lib/errors.ts';
import type { WorkerContext } from './context.ts';
import { Leases, type HeldLease, type Renewed } from './leases.ts';
import { RunControl } from './session/attempt/control.ts';
import { runSession } from './session/run.ts';
import { sweep } from './sweep.ts';

export interface SessionWorker {
  /** Takes no more sessions, gives those it has to other workers with a checkpoint, and stops, at the latest then. */
  drain(timeoutMs: number): Promise<void>;
  /** Sessions it works on now. */
  busy(): number;
}

interface Held extends HeldLease {
  ended: Promise<void>;
  /** While it only waits for a message, and takes no slot. */
  kept: Kept | undefined;
  /** Whether somebody has to see if it is wanted, and whether somebody does. */
  isAsked?: boolean;
  isLooking?: boolean;
}

/** Ends the wait of a kept session: it is wanted, or it has to go. */
type Kept = (wanted: Wanted | undefined) => void;

const sweepMs = 30_000;
/** How long a session keeps its sandbox after a turn, so that the next message is answered at once. */
const keptMs = 5 * 60_000;

/** Works on sessions, as many at once as there are slots, until it is drained. */
export async function startWorker(ctx: WorkerContext, { slots }: { slots: number }): Promise<SessionWorker> {
  const worker = new Worker(ctx, slots);
  await worker.start();
  return worker;
}

class Worker implements SessionWorker {
  readonly #ctx: WorkerContext;
  readonly #slots: number;
  readonly #held = new Map<string, Held>();
  /** Claims under way; they take a slot each. */
  readonly #claiming = new Set<Promise<unknown>>();
  readonly #timers: NodeJS.Timeout[] = [];
  #jobs: { wake(): void } | undefined;
  readonly #unsubscribe: (() => void)[] = [];
  #draining = false;
  #isolation: object = {};
  readonly #leases: Leases<Held>;
  #polling: Promise<void> | undefined;
  #pollAgain = false;

  constructor(ctx: WorkerContext, slots: number) {
    this.#ctx = ctx;
    this.#slots = slots;
    this.#leases = new Leases<Held>(ctx, {
      held: () => [...this.#held.values()],
      sayHello: () => this.#sayHello(),
      onRenewed: (held, row, askedAt) => this.#heed(held, row, askedAt),
      onRegained: ({ control, kept }, blindMs) => {
        if (kept === undefined) control.onRegained(blindMs);
      },
    });
  }

  async start(): Promise<void> {
    const ctx = this.#ctx;
    const { isolation } = await ctx.sandbox.probe();
    this.#isolation = { driver: ctx.sandbox.name, ...isolation };
    await sweep(ctx);
    void ctx.copies.makeRoom();
    await this.#sayHello();
    const onControl = (id: string | undefined): void => {
      if (id === undefined) {
        this.#leases.beat();
        for (const held of this.#held.values()) void this.#look(held);
        return;
      }
      const held = this.#held.get(id);
      if (held?.kept !== undefined) void this.#look(held);
      else if (held !== undefined) this.#leases.beat();
    };
    this.#unsubscribe.push(
      ctx.notifications.subscribe('guildhall_control', undefined, onControl),
      ctx.notifications.subscribe('guildhall_dispatch', undefined, () => void this.#poll()),
    );
    // Whose job it is says nothing about whose turn it is.
    this.#jobs = ctx.jobs.work('session', { concurrency: this.#slots, free: () => this.#free }, () => this.#poll());
    this.#timers.push(
      setInterval(() => void this.#poll(), ctx.timings.pollMs),
      setInterval(() => void sweep(ctx).then(() => ctx.copies.makeRoom()), sweepMs),
    );
    this.#leases.start();
    await this.#poll();
  }

  busy(): number {
    let busy = 0;
    for (const { kept } of this.#held.values()) if (kept === undefined) busy += 1;
    return busy;
  }

  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    for (const { control, kept } of this.#held.values()) {
      control.stopTurn('drain');
      kept?.(undefined);
    }
    // What does not come to an end in time is left to its lease.
    const late = setTimeout(() => this.#loseAll(new Error('The worker stops.')), timeoutMs);
    this.#leases.beat();
    while (this.#claiming.size + this.#held.size > 0) {
      await Promise.all([...this.#claiming, ...[...this.#held.values()].map(({ ended }) => ended)]);
    }
    clearTimeout(late);
    for (const timer of this.#timers) clearInterval(timer);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    // The database is closed next.
    await Promise.all([this.#leases.stop(), this.#polling]);
    try {
      await workerGone(this.#ctx, this.#ctx.config.processId);
    } catch (error) {
      this.#complain(error, 'a worker could not say goodbye');
    }
  }

  get #free(): number {
    return this.#draining || this.#ctx.problem() !== '' ? 0 : this.#slots - this.busy() - this.#claiming.size;
  }

  /** Claims a session and begins to work on it; false when there was none to claim. Resolves when it is begun. */
  async #take(claimOne: () => Promise<ClaimedRun | undefined>): Promise<boolean> {
    return this.#inSlot(async () => {
      const renewedAt = performance.now();
      const claimed = await claimOne();
      if (claimed === undefined) return false;
      const control = new RunControl({
        stay: () => this.#stay(run),
        catchUp: async () => {
          const own = this.#held.get(run.id);
          if (own !== undefined) await this.#leases.catchUp(own);
        },
      });
      const run: ClaimedRun = { ...claimed, lost: control.lost };
      if (this.#draining) control.stopTurn('drain');
      const held: Held = { run, control, ended: Promise.resolve(), renewedAt, kept: undefined };
      // It may be over before this function is.
      this.#held.set(run.id, held);
      held.ended = this.#work(run, control);
      return true;
    });
  }

  /** Keeps a slot free for what is about to take it. */
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

  /** Keeps a session until it is wanted, for a while; at most as many as there are slots, those that came last. */
  async #stay(run: ClaimedRun): Promise<Wanted | undefined> {
    const held = this.#held.get(run.id);
    if (held?.run !== run || this.#draining || held.control.lost.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<Wanted | undefined>();
    const wasFull = this.#free < 1;
    held.kept = resolve;
    // The one that was kept for longest comes first.
    this.#held.delete(run.id);
    this.#held.set(run.id, held);
    const giveUp = (): void => resolve(undefined);
    const timer = setTimeout(giveUp, keptMs);
    held.control.lost.addEventListener('abort', giveUp);
    const kept = [...this.#held.values()].flatMap((other) => other.kept ?? []);
    if (kept.length > this.#slots) kept[0]?.(undefined);
    if (wasFull) this.#takeMore();
    // A message may have come before anybody listened.
    void this.#look(held);
    try {
      return await promise;
    } finally {
      held.kept = undefined;
      held.control.lost.removeEventListener('abort', giveUp);
      clearTimeout(timer);
    }
  }

  /** Sees whether a kept session is wanted; once at a time, because a look takes a slot that others may need. */
  async #look(held: Held): Promise<void> {
    held.isAsked = true;
    if (held.isLooking === true) return;
    held.isLooking = true;
    for (; held.isAsked && held.kept !== undefined; await this.#lookOnce(held)) held.isAsked = false;
    held.isLooking = false;
  }

  /** Without a free slot, or while others come first, a session that is wanted waits like any other. */
  async #lookOnce(held: Held): Promise<void> {
    const hasSlot = this.#free > 0;
    const look = async (): Promise<void> => {
      const wanted = await wakeKept(this.#ctx, held.run, { hasSlot });
      const end = held.kept;
      if (wanted === undefined || end === undefined) return;
      // It takes the slot from now on.
      held.kept = undefined;
      end(wanted === 'waits' ? undefined : wanted);
    };
    try {
      await (hasSlot ? this.#inSlot(look) : look());
    } catch (error) {
      if (error instanceof LeaseLost) held.control.loseLease(error);
      else this.#complain(error, 'a session that was kept could not be looked at');
    }
  }

  async #work(run: ClaimedRun, control: RunControl): Promise<void> {
    await runSession(this.#ctx, run, control);
    this.#held.delete(run.id);
    // Perhaps this very session waits again.
    this.#takeMore();
  }

  /** A slot is free. */
  #takeMore(): void {
    this.#jobs?.wake();
    void this.#poll();
  }

  /** Looks for sessions; asked for again meanwhile, once more afterwards. */
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
        this.#complain(error, 'waiting sessions could not be looked for');
      }
    }
    this.#polling = undefined;
  }

  /** Those that go on have their places already. */
  async #pollOnce(): Promise<void> {
    const owner = this.#ctx.config.processId;
    const { takesOver } = this.#leases;
    const { leaseMs } = this.#ctx.timings;
    // Some of them may be this worker's own, just before their slot is free.
    const wanted = (): number => (this.#free < 1 ? 0 : this.#free + this.#held.size);
    for await (const id of goingOnOneByOne(this.#ctx, wanted, takesOver))
      if (this.#free > 0 && !this.#held.has(id))
        await this.#take(() => claim(this.#ctx, id, owner, { takesOver, leaseMs }));
    const next = () => claimNext(this.#ctx, owner, { takesOver, leaseMs, except: [...this.#held.keys()] });
    while (this.#free > 0 && (await this.#take(next)));
  }

  /** Does what people asked of a session that it holds. */
  #heed(held: Held, row: Renewed, askedAt: number): void {
    const { control } = held;
    control.maxMinutes = row.max_minutes ?? undefined;
    if (held.kept !== undefined) {
      if (row.status === 'queued' || row.status === 'running') void this.#look(held);
    } else if (row.suspend_requested) control.stopTurn('suspend', askedAt);
    else if (row.interrupt_requested) control.stopTurn('interrupt', askedAt);
  }

  #loseAll(reason: Error): void {
    for (const { control } of this.#held.values()) control.loseLease(reason);
  }

  async #sayHello(): Promise<void> {
    await workerSeen(this.#ctx, {
      id: this.#ctx.config.processId,
      host: hostname(),
      slots: this.#slots,
      busy: this.busy(),
      draining: this.#draining,
      sandbox: this.#isolation,
      problem: this.#ctx.problem(),
    });
  }

  #complain(error: unknown, what: string): void {
    this.#ctx.log.warn({ reason: messageOf(error) }, what);
  }
}
