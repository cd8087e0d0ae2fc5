import { hostname } from 'node:os';
import { claim, claimableSessions, heartbeat, type ClaimedRun } from '../features/sessions/run-service.ts';
import { workerGone, workerSeen } from '../features/sessions/worker-service.ts';
import { messageOf } from '../lib/errors.ts';
import type { WorkerContext } from './context.ts';
import { RunControl } from './session/control.ts';
import { runSession } from './session/run.ts';

export interface SessionWorker {
  /** Takes no more sessions, gives those it has to other workers with a checkpoint, and stops, at the latest then. */
  drain(timeoutMs: number): Promise<void>;
  /** Sessions it works on now. */
  busy(): number;
}

interface Held {
  run: ClaimedRun;
  control: RunControl;
  ended: Promise<void>;
}

const heartbeatMs = 3_000;
const pollMs = 2_000;
/** Leases last 10 s by the database's clock; after this long without a heartbeat one may be another worker's soon. */
const blindMs = 8_000;

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
  /** Sessions that are being claimed; they take a slot each. */
  readonly #claiming = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #jobs: { wake(): void } | undefined;
  #unsubscribe: () => void = () => undefined;
  #draining = false;
  #isolation: object = {};
  #beating = false;
  #beatAgain = false;
  #lastBeat = performance.now();

  constructor(ctx: WorkerContext, slots: number) {
    this.#ctx = ctx;
    this.#slots = slots;
  }

  async start(): Promise<void> {
    const ctx = this.#ctx;
    const { isolation } = await ctx.sandbox.probe();
    this.#isolation = { driver: ctx.sandbox.name, ...isolation };
    await this.#sayHello();
    this.#unsubscribe = ctx.notifications.subscribe('guildhall_control', undefined, (id) => {
      if (id === undefined || this.#held.has(id)) this.#beat();
    });
    this.#jobs = ctx.jobs.work('session', { concurrency: this.#slots, free: () => this.#free }, async ({ data }) => {
      const id = sessionOf(data);
      if (id !== undefined) await this.#take(id);
    });
    this.#timers.push(
      setInterval(() => this.#beat(), heartbeatMs),
      setInterval(() => void this.#poll(), pollMs),
      setInterval(() => this.#watchBeats(), 500),
    );
    await this.#poll();
  }

  busy(): number {
    return this.#held.size;
  }

  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    await this.#sayHello();
    for (const { control } of this.#held.values()) control.stopTurn('drain');
    const ended = Promise.all([...this.#held.values()].map((held) => held.ended));
    let late: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      late = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([ended, timeout]);
    clearTimeout(late);
    // What did not come to an end in time is left to its lease.
    for (const { control } of this.#held.values()) control.loseLease(new Error('The worker stops.'));
    await ended;
    for (const timer of this.#timers) clearInterval(timer);
    this.#unsubscribe();
    await workerGone(this.#ctx, this.#ctx.config.processId).catch((error: unknown) =>
      this.#complain(error, 'a worker could not say goodbye'),
    );
  }

  get #free(): number {
    return this.#draining ? 0 : this.#slots - this.#held.size - this.#claiming.size;
  }

  /** Claims a session and begins to work on it. Resolves when it is begun. */
  async #take(id: string): Promise<void> {
    if (this.#free < 1 || this.#held.has(id) || this.#claiming.has(id)) return;
    this.#claiming.add(id);
    try {
      const run = await claim(this.#ctx, id, this.#ctx.config.processId);
      if (run !== undefined) this.#begin(run);
    } finally {
      this.#claiming.delete(id);
    }
  }

  #begin(run: ClaimedRun): void {
    const control = new RunControl();
    this.#held.set(run.id, { run, control, ended: this.#work(run, control) });
    if (this.#draining) control.stopTurn('drain');
  }

  async #work(run: ClaimedRun, control: RunControl): Promise<void> {
    await runSession(this.#ctx, run, control);
    this.#held.delete(run.id);
    // A slot is free, and perhaps this very session waits again.
    this.#jobs?.wake();
    void this.#poll();
  }

  async #poll(): Promise<void> {
    if (this.#free < 1) return;
    try {
      // Some of them may be this worker's own, just before their slot is free.
      const wanted = this.#free + this.#held.size;
      for (const id of await claimableSessions(this.#ctx, wanted)) await this.#take(id);
    } catch (error) {
      this.#complain(error, 'waiting sessions could not be looked for');
    }
  }

  /** Renews the leases now; asked for again meanwhile, once more afterwards. */
  #beat(): void {
    this.#beatAgain = true;
    if (!this.#beating) void this.#beatAll();
  }

  async #beatAll(): Promise<void> {
    this.#beating = true;
    while (this.#beatAgain) {
      this.#beatAgain = false;
      try {
        await this.#beatOnce();
      } catch (error) {
        this.#complain(error, 'the leases could not be renewed');
      }
    }
    this.#beating = false;
  }

  async #beatOnce(): Promise<void> {
    const startedAt = performance.now();
    const held = [...this.#held.values()];
    const [renewed] = await Promise.all([
      heartbeat(
        this.#ctx,
        held.map(({ run }) => run),
      ),
      this.#sayHello(),
    ]);
    this.#lastBeat = startedAt;
    const kept = new Map(renewed.map((row) => [row.id, row]));
    for (const { run, control } of held) {
      const row = kept.get(run.id);
      if (row === undefined) {
        if (this.#held.get(run.id)?.run === run)
          control.loseLease(new Error('The session was canceled, or another worker took it.'));
      } else if (row.suspend_requested) control.stopTurn('suspend');
      else if (row.interrupt_requested) control.stopTurn('interrupt');
    }
  }

  /** Without the database nobody can tell whether the leases still hold, so the runs end before others take them. */
  #watchBeats(): void {
    if (this.#held.size === 0 || performance.now() - this.#lastBeat < blindMs) return;
    for (const { control } of this.#held.values())
      control.loseLease(new Error('The database could not be reached for 8 s.'));
  }

  async #sayHello(): Promise<void> {
    await workerSeen(this.#ctx, {
      id: this.#ctx.config.processId,
      host: hostname(),
      slots: this.#slots,
      busy: this.#held.size,
      draining: this.#draining,
      sandbox: this.#isolation,
    });
  }

  #complain(error: unknown, what: string): void {
    this.#ctx.log.warn({ reason: messageOf(error) }, what);
  }
}

function sessionOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('session_id' in data)) return undefined;
  return typeof data.session_id === 'string' ? data.session_id : undefined;
}
