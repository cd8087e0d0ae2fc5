import type { Notifications } from '../db/notifications.ts';
import type { Database } from '../db/pool.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import {
  answerCall,
  beatCalls,
  changedChannel,
  takeCalls,
  waitingChannel,
  type StoredAnswer,
  type TakenCall,
} from './call-store.ts';

/** Handles a call and returns its result, which is sent as JSON. The signal aborts when the caller no longer waits. */
export type CallHandler = (input: unknown, options: { signal: AbortSignal }) => Promise<unknown>;

export interface CallServerOptions {
  db: Database;
  notifications: Notifications;
  log: Log;
  worker: string;
  handlers: Record<string, CallHandler>;
  /** The maximum number of concurrent handlers. */
  concurrency: number;
}

/** Notifications come for calls at once; one that was missed waits for this. */
const pollMs = 1_000;
const beatMs = 3_000;
/** The most an answer may hold, in characters of JSON: a picture of a long page in base64, several times over. */
const maxOutput = 32 * 1024 * 1024;

/** Serves calls until it is stopped. Stopping aborts running calls, whose callers get an error. */
export function serveCalls(options: CallServerOptions): () => Promise<void> {
  const server = new CallServer(options);
  return () => server.stop();
}

class CallServer {
  readonly #options: CallServerOptions;
  readonly #running = new Map<string, { abort: AbortController; done: Promise<void> }>();
  readonly #timers: NodeJS.Timeout[];
  readonly #unsubscribe: () => void;
  #stopping = false;
  #taking: Promise<void> | undefined;
  #again = false;

  constructor(options: CallServerOptions) {
    this.#options = options;
    this.#unsubscribe = options.notifications.subscribe(waitingChannel, undefined, (payload) => {
      if (payload === undefined || payload === '' || payload === options.worker) this.#wake();
    });
    this.#timers = [setInterval(() => this.#wake(), pollMs), setInterval(() => void this.#beat(), beatMs)];
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unsubscribe();
    await this.#taking;
    for (const { abort } of this.#running.values()) abort.abort(stopped());
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Takes what there is room for; one look at a time, and another one when something came meanwhile. */
  #wake(): void {
    this.#again = true;
    this.#taking ??= this.#takeAll().finally(() => (this.#taking = undefined));
  }

  async #takeAll(): Promise<void> {
    const { db, worker, handlers, concurrency, log } = this.#options;
    while (this.#again && !this.#stopping) {
      this.#again = false;
      const room = concurrency - this.#running.size;
      if (room < 1) return;
      try {
        for (const call of await takeCalls(db, worker, Object.keys(handlers), room)) this.#start(call);
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'calls could not be taken');
      }
    }
  }

  #start(call: TakenCall): void {
    const abort = new AbortController();
    const done = this.#run(call, abort).finally(() => {
      this.#running.delete(call.id);
      this.#wake();
    });
    this.#running.set(call.id, { abort, done });
  }

  async #run(call: TakenCall, abort: AbortController): Promise<void> {
    const { db, notifications, log } = this.#options;
    const unsubscribe = notifications.subscribe(changedChannel, call.id, (payload) => {
      // Without a payload notifications were missed: the next beat tells.
      if (payload !== undefined) abort.abort(unwanted());
    });
    const answer = await this.#answerOf(call, abort.signal);
    unsubscribe();
    try {
      await answerCall(db, call.id, answer);
    } catch (error) {
      // Its caller hears of the silence.
      log.warn({ kind: call.kind, reason: messageOf(error) }, 'a call could not be answered');
    }
  }

  async #answerOf(call: TakenCall, signal: AbortSignal): Promise<StoredAnswer> {
    const { handlers, log } = this.#options;
    try {
      const input: unknown = JSON.parse(call.input);
      const output = JSON.stringify((await handlers[call.kind]?.(input, { signal })) ?? null);
      if (output.length > maxOutput) throw new Error('The answer is too large.');
      return { output, error: null };
    } catch (thrown) {
      const error = this.#stopping ? stopped() : thrown;
      if (error instanceof AppError)
        return { output: null, error: JSON.stringify({ code: error.code, message: error.message }) };
      if (!signal.aborted) log.error({ kind: call.kind, err: error }, 'a call of another process failed');
      return { output: null, error: '{}' };
    }
  }

  /** Says that the handlers still work, and hears which of them nobody waits for. */
  async #beat(): Promise<void> {
    const { db, worker, log } = this.#options;
    const ids = [...this.#running.keys()];
    if (ids.length === 0) return;
    try {
      const wanted = await beatCalls(db, worker, ids);
      for (const id of ids) if (!wanted.has(id)) this.#running.get(id)?.abort.abort(unwanted());
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'calls could not be renewed');
    }
  }
}

function stopped(): AppError {
  return new AppError('capacity_unavailable', 'The worker is stopping. Try again.');
}

function unwanted(): Error {
  return new Error('The caller no longer waits for this call.');
}
