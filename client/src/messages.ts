import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** A stream that is none of the API's: to open it again would bring the same. */
export class StreamError extends Error {}

/** The largest event of a log is far smaller. */
const mostCharacters = 16 * 1024 * 1024;

/** Each message of a stream of server-sent events; `heard` is called for whatever comes. Throws {@link StreamError}. */
export async function* messagesOf(
  stream: ReadableStream<Uint8Array>,
  { signal, heard }: { signal: AbortSignal; heard(): void },
): AsyncGenerator<EventSourceMessage, void> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  // The signal of a request reaches its stream only while nothing between them was collected: requests that are made of
  // requests hold each other weakly, and a stream lives long.
  signal.addEventListener('abort', () => void reader.cancel(signal.reason).catch(() => undefined));
  // The parser looks through an unfinished line again with every part, so it gets whole lines.
  let line: string[] = [];
  let sinceMessage = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    heard();
    const text = decoder.decode(chunk.value, { stream: true });
    sinceMessage += text.length;
    if (sinceMessage > mostCharacters)
      throw new StreamError(`The stream sent ${mostCharacters} characters without an end of an event.`);
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
