import { ApiError } from './api-error.ts';
import { messagesOf, StreamError } from './messages.ts';
import { plain } from './plain.ts';
import type { components } from './schema.gen.ts';
import { backoffMs, wait } from './wait.ts';

/** An entry of a session's log; `kind` determines the fields of `data`. */
export type SessionEvent = components['schemas']['SessionEvent'];

export interface FollowOptions {
  /** Starts after this event; 0 (default) starts with the first one that is kept. */
  afterSeq?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** Called each time a connection is open. */
  onOpen?: () => void;
  /**
   * Called each time a connection is lost or fails, with the reason and the milliseconds until the next try. If it throws,
   * there is none: the iteration ends with that error.
   */
  onLost?: (reason: unknown, delayMs: number) => void;
}

/** Opens the session's stream after an event. Throws {@link ApiError}. */
export type OpenStream = (afterSeq: number, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

/** The server sends at least a comment every 15 s; after three missing ones the connection is considered dead. */
const silenceMs = 45_000;
/** A kept connection may have died with a network that is gone; the time for an answer doubles with each failure. */
const firstOpenMs = 5_000;
const firstDelayMs = 100;
const mostDelayMs = 5_000;
/** The maximum wait that a server can request, in milliseconds. */
const mostRetryAfterMs = 60_000;

/**
 * Yields a session's log from `afterSeq` on, each event once and in order over any number of lost connections.
 * Continues after the end of a turn, because a message may start another; ends when the session is canceled or deleted,
 * and when the signal aborts. Throws {@link ApiError} if the API refuses, and an error if the response is not a stream
 * of the API.
 */
export async function* follow(open: OpenStream, options: FollowOptions): AsyncGenerator<SessionEvent, void> {
  const { signal } = options;
  const isStopped = (): boolean => signal?.aborted === true;
  let seq = options.afterSeq ?? 0;
  let wasOpen = false;
  for (let failures = 0; !isStopped(); failures += 1) {
    const connection = watchSilence(signal, Math.min(silenceMs, firstOpenMs * 2 ** failures));
    let reason: unknown = new Error('the stream ended');
    let delayMs = backoffMs(failures, firstDelayMs, mostDelayMs);
    try {
      const stream = await connection.untilAborted(open(seq, connection.signal));
      if (stream === undefined) throw new Error('the stream did not open');
      connection.heard();
      wasOpen = true;
      options.onOpen?.();
      let isOver = false;
      for await (const message of messagesOf(stream, connection)) {
        const event = parseEvent(message.data);
        // Without an id, it is the current status and not part of the log.
        if (message.id === undefined)
          isOver = event.kind === 'status' && event.data.status === 'canceled' && event.seq <= seq;
        if (message.id === undefined || event.seq <= seq) continue;
        seq = event.seq;
        failures = 0;
        yield event;
      }
      if (isOver) return;
    } catch (error) {
      if (isStopped() || (wasOpen && isGone(error))) return;
      if (error instanceof StreamError || (error instanceof ApiError && !isPassing(error))) throw error;
      if (error instanceof ApiError)
        delayMs = Math.max(delayMs, Math.min(mostRetryAfterMs, (error.retryAfter ?? 0) * 1_000));
      reason = error;
    } finally {
      connection.close();
    }
    options.onLost?.(reason, delayMs);
    await wait(delayMs, signal);
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'session_not_found';
}

function isPassing({ status }: ApiError): boolean {
  return status === 429 || status >= 500;
}

/** Returns a signal that aborts with the caller's, and after too long a silence: `openMs` until something is heard. */
function watchSilence(signal: AbortSignal | undefined, openMs: number) {
  const over = new AbortController();
  const stop = (): void => over.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  const give = (): void => over.abort(new Error('the stream went silent'));
  let timer = setTimeout(give, openMs);
  return {
    signal: over.signal,
    /** Resolves with the stream; undefined if the connection was given up before it opened. */
    untilAborted: async (opening: Promise<ReadableStream<Uint8Array>>) => {
      const aborted = new Promise<undefined>((resolve) =>
        over.signal.addEventListener('abort', () => resolve(undefined)),
      );
      const stream = await Promise.race([opening, aborted]);
      if (stream === undefined) void opening.then((late) => late.cancel()).catch(() => undefined);
      return stream;
    },
    heard: (): void => {
      clearTimeout(timer);
      timer = setTimeout(give, silenceMs);
    },
    close: (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      over.abort();
    },
  };
}

function parseEvent(data: string): SessionEvent {
  const value = parse(data);
  if (!isEvent(value)) throw new StreamError(`The stream sent an invalid event: ${plain(data.slice(0, 200))}`);
  return value;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Checks the fields that this module uses; the server guarantees the `data` of each kind. */
function isEvent(value: unknown): value is SessionEvent {
  if (typeof value !== 'object' || value === null || !('seq' in value && 'kind' in value && 'data' in value))
    return false;
  return Number.isSafeInteger(value.seq) && typeof value.data === 'object' && value.data !== null;
}
