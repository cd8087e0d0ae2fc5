import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** A stream that is not from the API: opening it again would give the same. */
export class StreamError extends Error {}

/** Far larger than any event of a log. */
const mostCharacters = 16 * 1024 * 1024;

/** Yields each message of a stream of server-sent events; calls `heard` for every chunk. Throws {@link StreamError}. */
export async function* messagesOf(
  stream: ReadableStream<Uint8Array>,
  { signal, heard }: { signal: AbortSignal; heard(): void },
): AsyncGenerator<EventSourceMessage, void> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  // A request's signal reaches its stream only while nothing in between is garbage-collected: requests made from
  // requests hold each other weakly, and a stream lives long.
  signal.addEventListener('abort', () => void reader.cancel(signal.reason).catch(() => undefined));
  // The parser scans an incomplete line again with every chunk, so it gets whole lines.
  let line: string[] = [];
  let sinceMessage = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    heard();
    const text = decoder.decode(chunk.value, { stream: true });
    sinceMessage += text.length;
    if (sinceMessage > mostCharacters)
      throw new StreamError(`The stream sent ${mostCharacters} characters without the end of an event.`);
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    if (end === 0) {
      line.push(text);
      continue;
    }
    parser.feed(`${line.join('')}${text.slice(0, end)}`);
    line = [text.slice(end)];
    if (messages.length > 0) sinceMessage = 0;
    yield* messages.splice(0);
  }
}
