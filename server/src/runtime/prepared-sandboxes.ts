import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import type {
  PreparedSandbox,
  Sandbox,
  SandboxDriver,
  SandboxLimits,
  SandboxOptions,
} from '../adapters/sandbox/port.ts';
import { messageOf, ProviderError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { processorsIdle } from '../lib/processors-idle.ts';

export interface PreparedOptions {
  /** The number of sandboxes that wait. */
  readonly count: number;
  readonly log: Log;
  /** For this alone, on the file system of the gateway's sockets. What an earlier process left there is removed. */
  readonly directory: string;
  /** Directories below which sessions mount. */
  readonly mountsBelow: readonly string[];
  /** Returns what every sandbox of a session may mount in addition. */
  readonly mountsOfAll: () => Promise<readonly string[]>;
  /** The limits of the first sandboxes; later ones get those that most sessions ask for. */
  readonly limits: SandboxLimits;
  /** Waits until the machine has time to prepare one; by default until its processors are idle. */
  readonly idle?: (signal: AbortSignal) => Promise<void>;
}

export interface PreparedSandboxes {
  /** The driver, whose `create` returns a waiting sandbox if one fits. */
  readonly driver: SandboxDriver;
  /** Removes the waiting sandboxes. */
  close(): Promise<void>;
}

/** More than half of so many recent requests decide the limits. */
const remembered = 8;
/** A session's own start comes first. */
const refillAfterMs = 50;
const retryAfterMs = 60_000;

/**
 * Keeps started sandboxes that no session has used, so that a session need not wait for one. Each is used once, by one
 * session.
 */
export async function prepareSandboxes(driver: SandboxDriver, options: PreparedOptions): Promise<PreparedSandboxes> {
  if (options.count === 0 || driver.prepare === undefined) return { driver, close: async () => {} };
  await rm(options.directory, { recursive: true, force: true });
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const pool = new Pool(driver, driver.prepare, options);
  pool.refillSoon();
  return { driver: { ...driver, create: (asked) => pool.create(asked) }, close: () => pool.close() };
}

interface Waiting {
  readonly limits: SandboxLimits;
  readonly mounts: readonly string[];
  /** May still be starting. */
  readonly sandbox: Promise<PreparedSandbox>;
}

class Pool {
  readonly #driver: Pick<SandboxDriver, 'create'>;
  readonly #prepare: NonNullable<SandboxDriver['prepare']>;
  readonly #options: PreparedOptions;
  /** The oldest first. */
  #waiting: Waiting[] = [];
  /** The limits of recent requests. */
  #asked: SandboxLimits[] = [];
  /** The limits of the sandboxes to prepare. */
  #limits: SandboxLimits;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #refilling: Promise<void> | undefined;
  /** Requests that are served now. */
  #creating = 0;

  constructor(
    driver: Pick<SandboxDriver, 'create'>,
    prepare: NonNullable<SandboxDriver['prepare']>,
    options: PreparedOptions,
  ) {
    this.#driver = driver;
    this.#prepare = prepare;
    this.#options = options;
    this.#limits = options.limits;
  }

  async create(options: SandboxOptions): Promise<Sandbox> {
    this.#remember(options.limits);
    this.#creating += 1;
    try {
      return (await this.#use(options)) ?? (await this.#driver.create(options));
    } finally {
      this.#creating -= 1;
      this.refillSoon();
    }
  }

  /** Uses a waiting sandbox. Returns undefined if none fits, or if it does not work. */
  async #use(options: SandboxOptions): Promise<Sandbox | undefined> {
    const { limits, gateway, mounts = [], layer, env, onNotice, signal } = options;
    signal?.throwIfAborted();
    const found = this.#waiting.find((one) => isSame(one.limits, limits));
    if (found === undefined || gateway === undefined || layer !== undefined || env !== undefined) return undefined;
    const later = mounts.filter((path) => !found.mounts.includes(path));
    if (!later.every((path) => this.#options.mountsBelow.some((directory) => path.startsWith(`${directory}/`))))
      return undefined;
    this.#remove(found);
    try {
      const sandbox = await found.sandbox;
      if (later.length === 0 || sandbox.canMount)
        return await sandbox.use({ gateway, mounts: later, ...(onNotice === undefined ? {} : { onNotice }) });
      this.#waiting.unshift(found);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.#options.log.warn({ reason: error.message }, 'a prepared sandbox failed; its session starts another one');
    }
    return undefined;
  }

  #remember(limits: SandboxLimits): void {
    this.#asked = [...this.#asked, limits].slice(-remembered);
    if (this.#asked.filter((one) => isSame(one, limits)).length * 2 > this.#asked.length) this.#limits = limits;
  }

  /** Prepares what is missing after a delay, or when no session waits for its own sandbox any more. */
  refillSoon(delayMs = refillAfterMs): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refill(), delayMs).unref();
  }

  async #refill(): Promise<void> {
    if (this.#refilling !== undefined) return;
    this.#refilling = this.#prepareMissing();
    try {
      await this.#refilling;
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#options.log.warn({ reason: messageOf(error) }, 'failed to prepare a sandbox; sessions start their own');
      this.refillSoon(retryAfterMs);
    } finally {
      this.#refilling = undefined;
    }
  }

  /** Prepares one sandbox after the other, and replaces those with other limits. */
  async #prepareMissing(): Promise<void> {
    while (this.#creating === 0 && !this.#closing.signal.aborted) {
      const other = this.#waiting.find(({ limits }) => !isSame(limits, this.#limits));
      if (other === undefined && this.#waiting.length >= this.#options.count) return;
      await (this.#options.idle ?? processorsIdle)(this.#closing.signal);
      if (other !== undefined) await this.#discard(other);
      await this.#prepareOne(this.#limits);
    }
  }

  /** Resolves when the sandbox has started, or rejects. A session may take it before. */
  async #prepareOne(limits: SandboxLimits): Promise<void> {
    const { directory, mountsBelow, mountsOfAll } = this.#options;
    const mounts = await mountsOfAll();
    const sandbox = this.#prepare({
      id: `prepared-${randomUUID()}`,
      limits,
      mounts,
      gatewayDirectory: directory,
      mountsBelow,
      signal: this.#closing.signal,
    });
    const waiting: Waiting = { limits, mounts, sandbox };
    this.#waiting.push(waiting);
    try {
      const { ended } = await sandbox;
      void ended.then(() => this.#onEnd(waiting));
    } catch (error) {
      this.#remove(waiting);
      throw error;
    }
  }

  #onEnd(one: Waiting): void {
    if (!this.#waiting.includes(one)) return;
    this.#remove(one);
    this.refillSoon(retryAfterMs);
  }

  #remove(one: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== one);
  }

  async #discard(one: Waiting): Promise<void> {
    this.#remove(one);
    await one.sandbox.then(
      (sandbox) => sandbox.discard(),
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The worker is stopping.'));
    clearTimeout(this.#timer);
    await this.#refilling?.catch(() => undefined);
    await Promise.all(this.#waiting.map((one) => this.#discard(one)));
    await rm(this.#options.directory, { recursive: true, force: true });
  }
}

function isSame(one: SandboxLimits, other: SandboxLimits): boolean {
  return (
    one.cpu === other.cpu &&
    one.memory_mb === other.memory_mb &&
    one.disk_mb === other.disk_mb &&
    one.pids === other.pids
  );
}
