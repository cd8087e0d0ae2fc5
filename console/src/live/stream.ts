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
}

const firstDelayMs = 100;
const longestDelayMs = 5_000;
/** The server sends a heartbeat after 15 s of silence. */
const silenceMs = 45_000;

/** Follows a stream until the signal aborts: reconnects after the last event, sooner when the browser is online again. */
export async function followStream({ url, onEvent, onConnection, signal }: LiveOptions): Promise<void> {
  let last: string | undefined;
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    try {
      for await (const { id, event, data } of messagesOf(url, last, signal, () => onConnection(true))) {
        delayMs = firstDelayMs;
        if (id !== undefined) last = id;
        const parsed = event === 'reset' ? ('reset' as const) : parse(data);
        if (parsed !== undefined) onEvent(parsed);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) return;
    }
    onConnection(false);
    await wait(delayMs, signal);
    delayMs = Math.min(longestDelayMs, delayMs * 2);
  }
}

/** The server will not open the stream for this reader; asking again would not help. */
class Refused extends Error {}

async function* messagesOf(url: string, last: string | undefined, signal: AbortSignal, opened: () => void) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (response.status >= 400 && response.status < 500 && response.status !== 429) throw new Refused();
    if (!response.ok || response.body === null) throw new Error(`The stream answered ${response.status}.`);
    opened();
    const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), silenceMs);
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
    silence.abort();
  }
}

function parse(data: string): LiveEvent | undefined {
  const { seq, type, resource }: Partial<LiveEvent> = Object(JSON.parse(data));
  if (seq === undefined || type === undefined || resource === undefined) return undefined;
  return { seq, type, resource };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const now = () => resolve();
  addEventListener('online', now, { once: true });
  signal.addEventListener('abort', now, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    removeEventListener('online', now);
    signal.removeEventListener('abort', now);
  });
}
