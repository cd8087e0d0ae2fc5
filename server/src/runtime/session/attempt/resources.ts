import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxOptions } from '../../../adapters/sandbox/port.ts';
import type { ClaimedRun } from '../../../features/sessions/run/run-service.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { WorkerContext } from '../../context.ts';
import type { RunControl } from './control.ts';

type ResourcesContext = Pick<WorkerContext, 'sandbox' | 'cache' | 'log' | 'workDirectory'>;

/** What an attempt holds on this host until it is over: sandboxes, mirrors, layers, files, and whatever else has to be closed. */
export class Resources {
  /** On the host, of this attempt alone. */
  readonly directory: string;
  readonly #ctx: ResourcesContext;
  readonly #run: Pick<ClaimedRun, 'id' | 'fence'>;
  readonly #control: Pick<RunControl, 'signal'>;
  readonly #cleanUps: (() => Promise<void>)[] = [];
  readonly #sandboxes = new Set<Sandbox>();
  readonly #holds: (() => void)[] = [];
  readonly #making = new Set<Promise<Sandbox>>();
  readonly #closing = new AbortController();

  constructor(ctx: ResourcesContext, run: Pick<ClaimedRun, 'id' | 'fence'>, control: Pick<RunControl, 'signal'>) {
    this.#ctx = ctx;
    this.#run = run;
    this.#control = control;
    this.directory = join(ctx.workDirectory, 'runs', `${run.id}.${run.fence}`);
  }

  /** Whether everything was given back, or begins to be. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Registers what {@link close} has to do, last first. */
  onClose(cleanUp: () => Promise<void>): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Keeps a mirror or a layer on this host for as long as the attempt lasts. */
  hold(path: string): void {
    this.#holds.push(this.#ctx.cache.retain(path));
  }

  /** Makes a sandbox of the attempt, which {@link close} removes, also while it is still in the making. */
  async createSandbox(options: SandboxOptions): Promise<Sandbox> {
    const given = [this.#control.signal, this.#closing.signal];
    if (options.signal !== undefined) given.push(options.signal);
    const making = this.#ctx.sandbox.create({ ...options, signal: AbortSignal.any(given) });
    this.#making.add(making);
    try {
      const sandbox = await making;
      this.#sandboxes.add(sandbox);
      return sandbox;
    } finally {
      this.#making.delete(making);
    }
  }

  /** Begins to remove a sandbox that is done with; nobody has to wait for it before {@link close}. */
  discard(sandbox: Sandbox): void {
    void sandbox.destroy().finally(() => this.#sandboxes.delete(sandbox));
  }

  /** Gives everything back; never rejects. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The attempt is over.'));
    await Promise.allSettled(this.#making);
    const cleanUps = [...this.#cleanUps.splice(0).reverse(), ...[...this.#sandboxes].map((one) => () => one.destroy())];
    for (const result of await Promise.allSettled(cleanUps.map((cleanUp) => cleanUp())))
      if (result.status === 'rejected') this.#warn(result.reason, 'a run was not cleaned up');
    for (const release of this.#holds.splice(0)) release();
    await rm(this.directory, { recursive: true, force: true }).catch((error: unknown) =>
      this.#warn(error, "a run's files stayed behind"),
    );
  }

  #warn(error: unknown, what: string): void {
    this.#ctx.log.warn({ session: this.#run.id, reason: messageOf(error) }, what);
  }
}
