import type { Readable, Writable } from 'node:stream';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { LineSplitter, parseEvent, type SupervisorEvent, type SupervisorRequest } from './protocol.ts';

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

const maxNotices = 20;

/** The worker's end of the line to a supervisor. What it reads comes from inside a sandbox and may be hostile. */
export class Connection {
  readonly #input: Writable;
  readonly #listeners = new Map<number, Listener>();
  readonly #ready = Promise.withResolvers<number>();
  readonly #onBroken: (detail: string) => void;
  readonly #onNotice: (text: string) => void;
  #notices = 0;
  #nextId = 1;
  #lost: ProviderError | undefined;

  /** `onBroken` is called when the supervisor breaks the protocol; the sandbox cannot be used any more. */
  constructor(
    input: Writable,
    output: Readable,
    { onBroken, onNotice }: { onBroken: (detail: string) => void; onNotice: (text: string) => void },
  ) {
    this.#input = input;
    this.#onBroken = onBroken;
    this.#onNotice = onNotice;
    // Nobody may be waiting for it when a sandbox dies while it starts.
    this.#ready.promise.catch(() => {});
    const lines = new LineSplitter();
    // The process's end is what reports a lost sandbox; a broken pipe only announces it.
    input.on('error', () => {});
    output.on('error', () => {});
    output.on('data', (chunk: Buffer) => {
      if (this.#lost !== undefined) return;
      try {
        for (const line of lines.push(chunk)) this.#dispatch(parseEvent(line));
      } catch (error) {
        this.fail(`the supervisor broke the protocol: ${messageOf(error)}`);
        this.#onBroken(messageOf(error));
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
    if (this.#lost === undefined) this.#input.write(`${JSON.stringify(request)}\n`);
  }

  /** Ends the supervisor in order: it kills every command and leaves. */
  end(): void {
    this.#input.end();
  }

  /** The sandbox is gone: whoever waits for it hears so, now and from now on. */
  fail(detail: string): void {
    if (this.#lost !== undefined) return;
    const error = new ProviderError(`The sandbox is gone: ${detail}`, { retryable: true });
    this.#lost = error;
    this.#ready.reject(error);
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener.lost(error);
  }

  #dispatch(event: SupervisorEvent): void {
    if (event.event === 'ready') this.#ready.resolve(event.port);
    else if (event.event === 'notice') this.#notice(event.text);
    else this.#listeners.get(event.id)?.event(event);
  }

  /** A supervisor that is not ours any more shall not fill anybody's log. */
  #notice(text: string): void {
    this.#notices += 1;
    if (this.#notices <= maxNotices) this.#onNotice(text);
  }
}
