import { EventSourceParserStream } from 'eventsource-parser/stream';

/** An event of the organization's stream. */
export interface LiveEvent {
  seq: number;
  type: string;
  resource: { type: string; id: string };
}

export interface LiveOptions {
  url: string;
  /** Receives each event; `reset` says that events were missed. */
  onEvent: (event: LiveEvent | 'reset') => void;
  /** Told whenever the connection comes or goes. */
  onConnection: (isOpen: boolean) => void;
  signal: AbortSignal;
  line: Line;
}

/**
 * Tells by `online`, `offline` and `seen` what the browser knows of the network, and that a person looks at a page: a
 * worker is told none of it.
 */
export type Line = EventTarget;

const firstDelayMs = 100;
const longestDelayMs = 5_000;
/** The server sends a heartbeat after 15 s of silence. */
const silenceMs = 45_000;
/** A kept connection may have died with a network that is gone; the time for an answer doubles with each failure. */
const firstOpenMs = 5_000;
/** A connection that was silent for so long is not trusted by who comes back to a page. */
const doubtMs = 20_000;

/**
 * Follows a stream until the signal aborts, or the server refuses. Reconnects after the last event: at once when the
 * browser goes online or offline, which old connections may not survive.
 */
export async function followStream({ url, onEvent, onConnection, signal, line }: LiveOptions): Promise<void> {
  let last: string | undefined;
  let failures = 0;
  line.addEventListener('online', () => (failures = 0), { signal });
  while (!signal.aborted) {
    try {
      for await (const { id, event, data } of messagesOf(url, last, {
        signal,
        line,
        openMs: Math.min(silenceMs, firstOpenMs * 2 ** failures),
        opened: () => onConnection(true),
      })) {
        failures = 0;
        if (id !== undefined) last = id;
        const parsed = event === 'reset' ? ('reset' as const) : parse(data);
        if (parsed !== undefined) onEvent(parsed);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) return;
    }
    if (signal.aborted) return;
    onConnection(false);
    await wait(Math.min(longestDelayMs, firstDelayMs * 2 ** failures), signal, line);
    failures += 1;
  }
}

/** The server will not open the stream for this reader; asking again would not help. */
class Refused extends Error {}

interface Connection {
  signal: AbortSignal;
  line: Line;
  /** The time until the answer begins, in milliseconds. */
  openMs: number;
  opened: () => void;
}

async function* messagesOf(url: string, last: string | undefined, { signal, line, openMs, opened }: Connection) {
  const over = new AbortController();
  const end = () => over.abort();
  let timer = setTimeout(end, openMs);
  let heardAt = Date.now();
  line.addEventListener('offline', end, { signal: over.signal });
  line.addEventListener('online', end, { signal: over.signal });
  line.addEventListener('seen', () => Date.now() - heardAt > doubtMs && end(), { signal: over.signal });
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
      signal: AbortSignal.any([signal, over.signal]),
    });
    if (response.status >= 400 && response.status < 500 && response.status !== 429) throw new Refused();
    if (!response.ok || response.body === null) throw new Error(`The stream answered ${response.status}.`);
    opened();
    clearTimeout(timer);
    timer = setTimeout(end, silenceMs);
    const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        clearTimeout(timer);
        timer = setTimeout(end, silenceMs);
        heardAt = Date.now();
        controller.enqueue(chunk);
      },
    });
    const messages = response.body
      .pipeThrough(heard)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    for (let next = await messages.read(); !next.done; next = await messages.read()) yield next.value;
  } finally {
    clearTimeout(timer);
    end();
  }
}

function parse(data: string): LiveEvent | undefined {
  const { seq, type, resource }: Partial<LiveEvent> = Object(JSON.parse(data));
  if (seq === undefined || type === undefined || resource === undefined) return undefined;
  return { seq, type, resource };
}

/** Resolves after a time; sooner when the browser is online again, or a person comes back. */
function wait(ms: number, signal: AbortSignal, line: Line): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const now = () => resolve();
  line.addEventListener('online', now);
  line.addEventListener('seen', now);
  signal.addEventListener('abort', now);
  return promise.finally(() => {
    clearTimeout(timer);
    line.removeEventListener('online', now);
    line.removeEventListener('seen', now);
    signal.removeEventListener('abort', now);
  });
}
