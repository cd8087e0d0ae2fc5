import type { Duplex } from 'node:stream';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { LineSplitter } from '../../../lib/lines.ts';
import { maxLineBytes, parseEvent, type SupervisorEvent, type SupervisorRequest } from './protocol.ts';

/** Hears the events of one run or transfer; `lost` is the last call when the sandbox is gone. */
export interface Listener {
  event(event: SupervisorEvent): void;
  lost(error: ProviderError): void;
}

/** A connection and whom to tell that nobody answers at its other end any more. */
export interface Line {
  connection: Connection;
  onStuck(detail: string): void;
}

/** The timeouts of a worker for supervisors. */
export interface SupervisorTimings {
  /** The pause between two questions whether it is there. */
  askEveryMs: number;
}

/** Those of the product. */
export const supervisorTimings: Readonly<SupervisorTimings> = { askEveryMs: 10_000 };

const maxNotices = 20;
/**
 * A supervisor that says nothing in this many pauses, though it is asked in each, has been stopped. A busy sandbox with a
 * tenth of a CPU answers within a few seconds.
 */
const silentPauses = 4;

interface ConnectionOptions {
  onBroken(detail: string): void;
  onNotice(text: string): void;
  timings: Readonly<SupervisorTimings>;
}

/** The worker's end of the line to a supervisor. What it reads comes from inside a sandbox and may be hostile. */
export class Connection {
  readonly #line: Duplex;
  readonly #listeners = new Map<number, Listener>();
  readonly #ready = Promise.withResolvers<number>();
  readonly #onBroken: (detail: string) => void;
  readonly #onNotice: (text: string) => void;
  readonly #askEveryMs: number;
  #asking: NodeJS.Timeout | undefined;
  #silent = 0;
  #notices = 0;
  #nextId = 1;
  #lost: ProviderError | undefined;

  /** `onBroken` is called when the supervisor breaks the protocol or falls silent; the sandbox cannot be used any more. */
  constructor(line: Duplex, { onBroken, onNotice, timings }: ConnectionOptions) {
    this.#askEveryMs = timings.askEveryMs;
    this.#line = line;
    this.#onBroken = onBroken;
    this.#onNotice = onNotice;
    // Nobody may be waiting for it when a sandbox dies while it starts.
    this.#ready.promise.catch(() => {});
    const lines = new LineSplitter(maxLineBytes);
    // The process's end is what reports a lost sandbox; a broken pipe only announces it.
    line.on('error', () => {});
    line.on('data', (chunk: Buffer) => {
      if (this.#lost !== undefined) return;
      this.#silent = 0;
      try {
        for (const text of lines.push(chunk)) this.#dispatch(parseEvent(text));
      } catch (error) {
        this.#break(`the supervisor broke the protocol: ${messageOf(error)}`);
      }
    });
  }

  /** The port inside that leads to the gateway, 0 without one. */
  get ready(): Promise<number> {
    return this.#ready.promise;
  }

  /** Registers a listener and returns its id. */
  open(listener: Listener): number {
    const id = this.#nextId++;
    const lost = this.#lost;
    if (lost === undefined) this.#listeners.set(id, listener);
    else queueMicrotask(() => listener.lost(lost));
    return id;
  }

  close(id: number): void {
    this.#listeners.delete(id);
  }

  send(request: SupervisorRequest): void {
    if (this.#lost === undefined) this.#line.write(`${JSON.stringify(request)}\n`);
  }

  /** Ends the supervisor in order: it kills every command and leaves. */
  end(): void {
    this.#line.end();
  }

  /** The sandbox is gone: whoever waits for it hears so, now and from now on. */
  fail(detail: string): void {
    if (this.#lost !== undefined) return;
    const error = new ProviderError(`The sandbox is gone: ${detail}`, { retryable: true });
    this.#lost = error;
    clearInterval(this.#asking);
    this.#ready.reject(error);
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener.lost(error);
  }

  #break(detail: string): void {
    this.fail(detail);
    this.#onBroken(detail);
  }

  /** How long it may take until then is not decided here. */
  #begin(port: number): void {
    this.#ready.resolve(port);
    this.#asking ??= setInterval(() => this.#ask(), this.#askEveryMs).unref();
  }

  /** Counts pauses rather than time: when the worker itself was stopped, the supervisor gets its chance to answer. */
  #ask(): void {
    if (this.#silent >= silentPauses) {
      this.#break(`its supervisor has not answered for ${(silentPauses * this.#askEveryMs) / 1000} s`);
      return;
    }
    this.#silent += 1;
    this.send({ op: 'ping' });
  }

  #dispatch(event: SupervisorEvent): void {
    if (event.event === 'pong') return;
    if (event.event === 'ready') this.#begin(event.port);
    else if (event.event === 'notice') this.#notice(event.text);
    else this.#listeners.get(event.id)?.event(event);
  }

  /** A supervisor that is not ours any more shall not fill anybody's log. */
  #notice(text: string): void {
    this.#notices += 1;
    if (this.#notices <= maxNotices) this.#onNotice(text);
  }
}
