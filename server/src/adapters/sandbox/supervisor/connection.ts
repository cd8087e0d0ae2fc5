import type { Duplex } from 'node:stream';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { LineSplitter } from '../../../lib/lines.ts';
import { maxLineBytes, parseEvent, type SupervisorEvent, type SupervisorRequest } from './protocol.ts';

/** Receives the events of one run or transfer; `lost` is the last call if the sandbox ends. */
export interface Listener {
  event(event: SupervisorEvent): void;
  lost(error: ProviderError): void;
}

/** A connection, and a callback for when its supervisor stops responding. */
export interface SupervisorLink {
  connection: Connection;
  /** Returns the number of processes of the sandbox killed for lack of memory so far. */
  oomKills(): number;
  onStuck(detail: string): void;
}

/** The timeouts of a worker for supervisors. */
export interface SupervisorTimings {
  /** Pause between two pings. */
  pingEveryMs: number;
}

/** Production values; tests use shorter ones. */
export const supervisorTimings: Readonly<SupervisorTimings> = { pingEveryMs: 10_000 };

const maxNotices = 20;
/**
 * Number of unanswered pings after which a supervisor counts as stopped. Even a busy sandbox with a tenth of a CPU answers
 * within a few seconds.
 */
const maxUnansweredPings = 4;

interface ConnectionOptions {
  onBroken(detail: string): void;
  onNotice(text: string): void;
  timings: Readonly<SupervisorTimings>;
}

/** The worker's connection to a supervisor. Its input comes from inside a sandbox and may be hostile. */
export class Connection {
  readonly #line: Duplex;
  readonly #listeners = new Map<number, Listener>();
  readonly #ready = Promise.withResolvers<number>();
  readonly #onBroken: (detail: string) => void;
  readonly #onNotice: (text: string) => void;
  readonly #askEveryMs: number;
  #asking: NodeJS.Timeout | undefined;
  #unanswered = 0;
  #notices = 0;
  #nextId = 1;
  #lost: ProviderError | undefined;

  /** `onBroken` is called when the supervisor violates the protocol or stops responding, so that the sandbox is unusable. */
  constructor(line: Duplex, { onBroken, onNotice, timings }: ConnectionOptions) {
    this.#askEveryMs = timings.pingEveryMs;
    this.#line = line;
    this.#onBroken = onBroken;
    this.#onNotice = onNotice;
    // Prevents an unhandled rejection if the sandbox ends during its start.
    this.#ready.promise.catch(() => {});
    const lines = new LineSplitter(maxLineBytes);
    // The process's exit reports a lost sandbox; a broken pipe only precedes it.
    line.on('error', () => {});
    line.on('data', (chunk: Buffer) => {
      if (this.#lost !== undefined) return;
      this.#unanswered = 0;
      try {
        for (const text of lines.push(chunk)) this.#dispatch(parseEvent(text));
      } catch (error) {
        this.#break(`the supervisor violated the protocol: ${messageOf(error)}`);
      }
    });
  }

  /** The gateway's port inside; 0 without a gateway. */
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

  /** Ends the supervisor gracefully: it kills every command and exits. */
  end(): void {
    this.#line.end();
  }

  /** Called when the sandbox has ended: rejects current and future calls. */
  fail(detail: string): void {
    if (this.#lost !== undefined) return;
    const error = new ProviderError(`The sandbox has ended: ${detail}`, { retryable: true });
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

  /** Called when the supervisor has started; the caller limits the wait. */
  #begin(port: number): void {
    this.#ready.resolve(port);
    this.#asking ??= setInterval(() => this.#ping(), this.#askEveryMs).unref();
  }

  /** Counts pings instead of time, so that after a pause of the worker itself the supervisor can still answer. */
  #ping(): void {
    if (this.#unanswered >= maxUnansweredPings) {
      this.#break(`its supervisor has not responded for ${(maxUnansweredPings * this.#askEveryMs) / 1000} s`);
      return;
    }
    this.#unanswered += 1;
    this.send({ op: 'ping' });
  }

  #dispatch(event: SupervisorEvent): void {
    if (event.event === 'pong') return;
    if (event.event === 'ready') this.#begin(event.port);
    else if (event.event === 'notice') this.#notice(event.text);
    else this.#listeners.get(event.id)?.event(event);
  }

  /** Limits notices, so that a hostile supervisor cannot flood the log. */
  #notice(text: string): void {
    this.#notices += 1;
    if (this.#notices <= maxNotices) this.#onNotice(text);
  }
}
