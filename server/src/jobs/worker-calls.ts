import { randomUUID } from 'node:crypto';
import type { Notifications } from '../db/notifications.ts';
import type { Database } from '../db/pool.ts';
import { AppError, isErrorCode, messageOf, ProviderError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { serveCalls, type CallHandler } from './call-server.ts';
import { changedChannel, insertCall, lookAtCalls, takeAnswer, withdraw, withdrawUntaken } from './call-store.ts';

/** Calls from an API process to workers, whose caller waits. */
export interface WorkerCalls {
  /**
   * Calls a worker and returns its handler's result. Throws the handler's `AppError`; `capacity_unavailable` if no worker takes
   * the call within 5 s; otherwise {@link WorkerCallFailed}, or the signal's reason.
   */
  call(kind: string, input: unknown, options: CallOptions): Promise<unknown>;
  /** Serves calls of these kinds as a worker. The returned function stops it, and aborts and awaits running calls. */
  serve(worker: string, handlers: Record<string, CallHandler>, options?: { concurrency: number }): () => Promise<void>;
}

export interface CallOptions {
  /** The one worker that may take it; any without. */
  worker?: string;
  /** From the call to its answer. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** A call has no result: it timed out, its worker was lost, or its handler failed unexpectedly. */
export class WorkerCallFailed extends ProviderError {
  readonly reason: 'timeout' | 'lost' | 'failed';

  constructor(reason: 'timeout' | 'lost' | 'failed', message: string) {
    super(message, { retryable: reason !== 'failed' });
    this.name = 'WorkerCallFailed';
    this.reason = reason;
  }
}

export interface WorkerCallsOptions {
  db: Database;
  notifications: Notifications;
  log: Log;
}

/** The time in milliseconds that a call waits for a worker. */
const untakenMs = 5_000;
/** Poll interval, in case a notification of an answer was missed. */
const pollMs = 1_000;

interface Waiting {
  resolve: (output: unknown) => void;
  reject: (error: unknown) => void;
  /** While an answer is fetched, the row may be gone before the answer is here. */
  fetching: number;
}

/** Calls from one process to another over a table: JSON in, JSON out, nothing kept. */
export function createWorkerCalls(options: WorkerCallsOptions): WorkerCalls {
  const caller = new Caller(options);
  return {
    call: (kind, input, callOptions) => caller.call(kind, input, callOptions),
    serve: (worker, handlers, { concurrency } = { concurrency: 16 }) =>
      serveCalls({ ...options, worker, handlers, concurrency }),
  };
}

class Caller {
  readonly #db: Database;
  readonly #notifications: Notifications;
  readonly #log: Log;
  readonly #waiting = new Map<string, Waiting>();
  #poll: NodeJS.Timeout | undefined;

  constructor({ db, notifications, log }: WorkerCallsOptions) {
    this.#db = db;
    this.#notifications = notifications;
    this.#log = log;
  }

  async call(kind: string, input: unknown, { worker = '', timeoutMs, signal }: CallOptions): Promise<unknown> {
    signal?.throwIfAborted();
    const id = randomUUID();
    await insertCall(this.#db, { id, kind, worker, input: JSON.stringify(input ?? null), timeoutMs });
    const { answer, forget } = this.#await(id);
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    const late = setTimeout(
      () => end(new WorkerCallFailed('timeout', `No answer came within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const untaken = setTimeout(() => void this.#untaken(id), untakenMs);
    const onAbort = (): void => end(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    let answered = false;
    try {
      const output = await Promise.race([answer, ended]);
      answered = true;
      return output;
    } finally {
      forget();
      clearTimeout(late);
      clearTimeout(untaken);
      signal?.removeEventListener('abort', onAbort);
      if (!answered) await this.#attempt('withdrawn', () => withdraw(this.#db, id));
    }
  }

  /** Waits for an answer from now on; one that came before is fetched. */
  #await(id: string): { answer: Promise<unknown>; forget: () => void } {
    const { promise: answer, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject, fetching: 0 });
    this.#poll ??= setInterval(() => void this.#look(), pollMs);
    const unsubscribe = this.#notifications.subscribe(changedChannel, id, () => void this.#fetch(id));
    void this.#fetch(id);
    return {
      answer,
      forget: () => {
        unsubscribe();
        this.#waiting.delete(id);
        if (this.#waiting.size > 0) return;
        clearInterval(this.#poll);
        this.#poll = undefined;
      },
    };
  }

  async #fetch(id: string): Promise<void> {
    const entry = this.#waiting.get(id);
    if (entry === undefined) return;
    entry.fetching += 1;
    await this.#attempt('read', async () => {
      const answer = await takeAnswer(this.#db, id);
      if (answer === undefined) return;
      if (answer.error !== null) entry.reject(errorOf(answer.error));
      else entry.resolve(JSON.parse(answer.output ?? 'null'));
    });
    entry.fetching -= 1;
  }

  /** Looks for results that notifications missed, and for calls that will have none. */
  async #look(): Promise<void> {
    const asked = [...this.#waiting].filter(([, { fetching }]) => fetching === 0);
    if (asked.length === 0) return;
    await this.#attempt('checked', async () => {
      const states = await lookAtCalls(
        this.#db,
        asked.map(([id]) => id),
      );
      for (const [id, entry] of asked) {
        if (entry.fetching > 0) continue;
        const state = states.get(id);
        if (state === 'answered') void this.#fetch(id);
        else if (state !== 'open') entry.reject(new WorkerCallFailed('lost', 'The worker was lost while it worked.'));
      }
    });
  }

  async #untaken(id: string): Promise<void> {
    await this.#attempt('withdrawn', async () => {
      if (await withdrawUntaken(this.#db, id))
        this.#waiting.get(id)?.reject(new AppError('capacity_unavailable', 'No worker was free for this within 5 s.'));
    });
  }

  /** The database may be away for a moment; the next look or the timeout makes up for it. */
  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.warn({ reason: messageOf(error) }, `a call to a worker could not be ${what}`);
    }
  }
}

/** Validates a worker's error: an `AppError`, or a general failure in words for any caller. */
function errorOf(text: string): Error {
  const said: unknown = JSON.parse(text);
  if (typeof said === 'object' && said !== null && 'code' in said && 'message' in said) {
    const { code, message } = said;
    if (typeof code === 'string' && isErrorCode(code)) return new AppError(code, String(message));
  }
  return new WorkerCallFailed('failed', 'The worker could not do this; its log says why.');
}
