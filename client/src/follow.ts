import { ApiError } from './api-error.ts';
import { messagesOf, StreamError } from './messages.ts';
import { plain } from './plain.ts';
import type { components } from './schema.gen.ts';
import { backoffMs, wait } from './wait.ts';

/** One entry of a session's log; `kind` tells what `data` holds. */
export type SessionEvent = components['schemas']['SessionEvent'];

export interface FollowOptions {
  /** Begins behind this event; 0, the default, begins with the first. */
  afterSeq?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** Told why a connection was lost or could not be had, each time, and after how many milliseconds it is tried again. */
  onLost?: (reason: unknown, delayMs: number) => void;
}

/** Opens the session's stream behind an event. Throws {@link ApiError}. */
export type OpenStream = (afterSeq: number, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

/** The server sends at least a comment every 15 s; after three of them went missing the connection is dead. */
const silenceMs = 45_000;
const firstDelayMs = 100;
const mostDelayMs = 5_000;
/** The maximum wait that a server can request, in milliseconds. */
const mostRetryAfterMs = 60_000;

/**
 * A session's log from `afterSeq` on, each event once and in order over any number of lost connections. Goes on when a
 * turn ends, because a message may start another; ends when the session is canceled or deleted and when the signal
 * aborts. Throws {@link ApiError} when the API refuses, and an error when what is there is no stream of its.
 */
export async function* follow(open: OpenStream, options: FollowOptions): AsyncGenerator<SessionEvent, void> {
  const { signal } = options;
  const isStopped = (): boolean => signal?.aborted === true;
  let seq = options.afterSeq ?? 0;
  let wasOpen = false;
  for (let failures = 0; !isStopped(); failures += 1) {
    const connection = watchSilence(signal);
    let reason: unknown = new Error('the stream ended');
    let delayMs = backoffMs(failures, firstDelayMs, mostDelayMs);
    try {
      const stream = await connection.untilAborted(open(seq, connection.signal));
      if (stream === undefined) throw new Error('the stream did not open');
      wasOpen = true;
      let isOver = false;
      for await (const message of messagesOf(stream, connection)) {
        const event = parseEvent(message.data);
        // Without an id it is the status of this moment and no part of the log.
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

/** Aborts with the caller's signal, and by itself when nothing is heard for too long. */
function watchSilence(signal: AbortSignal | undefined) {
  const over = new AbortController();
  const stop = (): void => over.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  const give = (): void => over.abort(new Error('the stream went silent'));
  let timer = setTimeout(give, silenceMs);
  return {
    signal: over.signal,
    /** The stream, or undefined when the connection was given up before it opened. */
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
  if (!isEvent(value)) throw new StreamError(`The stream sent what is no event: ${plain(data.slice(0, 200))}`);
  return value;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** The server answers for the rest: its document says what `data` of each kind holds. */
function isEvent(value: unknown): value is SessionEvent {
  if (typeof value !== 'object' || value === null || !('seq' in value && 'kind' in value && 'data' in value))
    return false;
  return Number.isSafeInteger(value.seq) && typeof value.data === 'object' && value.data !== null;
}
