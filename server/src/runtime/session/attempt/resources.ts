import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxOptions } from '../../../adapters/sandbox/port.ts';
import type { ClaimedRun } from '../../../features/sessions/run/run-service.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { WorkerContext } from '../../context.ts';
import type { RunControl } from './control.ts';

type ResourcesContext = Pick<WorkerContext, 'sandbox' | 'cache' | 'log' | 'workDirectory'>;

/** An attempt's resources on this host until it ends: sandboxes, mirrors, layers, files, and other things to close. */
export class Resources {
  /** On the host; for this attempt only. */
  readonly directory: string;
  readonly #ctx: ResourcesContext;
  readonly #run: Pick<ClaimedRun, 'id' | 'fence'>;
  readonly #control: Pick<RunControl, 'signal'>;
  readonly #cleanUps: (() => Promise<void>)[] = [];
  readonly #sandboxes = new Set<Sandbox>();
  readonly #releases: (() => void)[] = [];
  readonly #pending = new Set<Promise<Sandbox>>();
  readonly #closing = new AbortController();

  constructor(ctx: ResourcesContext, run: Pick<ClaimedRun, 'id' | 'fence'>, control: Pick<RunControl, 'signal'>) {
    this.#ctx = ctx;
    this.#run = run;
    this.#control = control;
    this.directory = join(ctx.workDirectory, 'runs', `${run.id}.${run.fence}`);
  }

  /** True once {@link close} was called. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Registers a clean-up for {@link close}, which runs them in reverse order. */
  onClose(cleanUp: () => Promise<void>): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Keeps a mirror or a layer on this host until the attempt ends. */
  retain(path: string): void {
    this.#releases.push(this.#ctx.cache.retain(path));
  }

  /** Creates a sandbox of the attempt. {@link close} removes it, even while it is being created. */
  async createSandbox(options: SandboxOptions): Promise<Sandbox> {
    const given = [this.#control.signal, this.#closing.signal];
    if (options.signal !== undefined) given.push(options.signal);
    const making = this.#ctx.sandbox.create({ ...options, signal: AbortSignal.any(given) });
    this.#pending.add(making);
    try {
      const sandbox = await making;
      this.#sandboxes.add(sandbox);
      return sandbox;
    } finally {
      this.#pending.delete(making);
    }
  }

  /** Starts to remove a sandbox that is no longer needed; {@link close} waits for it. */
  discard(sandbox: Sandbox): void {
    void sandbox.destroy().finally(() => this.#sandboxes.delete(sandbox));
  }

  /** Releases everything. Never rejects. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The attempt has ended.'));
    await Promise.allSettled(this.#pending);
    const cleanUps = [...this.#cleanUps.splice(0).reverse(), ...[...this.#sandboxes].map((one) => () => one.destroy())];
    for (const result of await Promise.allSettled(cleanUps.map((cleanUp) => cleanUp())))
      if (result.status === 'rejected') this.#warn(result.reason, 'failed to clean up a run');
    for (const release of this.#releases.splice(0)) release();
    await rm(this.directory, { recursive: true, force: true }).catch((error: unknown) =>
      this.#warn(error, "failed to remove a run's files"),
    );
  }

  #warn(error: unknown, what: string): void {
    this.#ctx.log.warn({ session: this.#run.id, reason: messageOf(error) }, what);
  }
}
