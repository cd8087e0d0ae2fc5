import type { TestApi } from './api.ts';

export interface Frame {
  id: string | undefined;
  event: string;
  data: Record<string, unknown>;
}

/** A reader of a stream, like a real client. */
export interface StreamReader {
  status: number;
  headers: Headers;
  /** Every frame so far, in order, without comments. */
  frames: Frame[];
  /** Returns the stream as received. */
  text(): string;
  /** Waits for this number of frames. */
  reaches(count: number): Promise<Frame[]>;
  /** Resolves when the server ends the stream. */
  ended: Promise<void>;
  leave(): Promise<void>;
}

const patienceMs = 60_000;

export async function openStream(
  api: TestApi,
  path: string,
  options: { key?: string; cookie?: string; lastEventId?: string } = {},
): Promise<StreamReader> {
  const leaving = new AbortController();
  const response = await fetch(`${api.url}${path}`, {
    headers: {
      ...(options.cookie === undefined
        ? { authorization: `Bearer ${options.key ?? api.adminKey}` }
        : { cookie: options.cookie }),
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
    },
    signal: leaving.signal,
  });
  let text = '';
  let wake: () => void = () => undefined;
  const frames: Frame[] = [];
  const decoder = new TextDecoder();
  async function read(): Promise<void> {
    let rest = '';
    try {
      for await (const chunk of response.body ?? []) {
        const piece = decoder.decode(chunk, { stream: true });
        text += piece;
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop() ?? '';
        frames.push(...blocks.filter((block) => !block.startsWith(':')).map(parse));
        wake();
      }
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    }
  }
  const ended = read();
  return {
    status: response.status,
    headers: response.headers,
    frames,
    text: () => text,
    ended,
    async reaches(count) {
      const { promise, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => reject(new Error(`${frames.length} of ${count} frames came:\n${text}`)),
        patienceMs,
      );
      try {
        while (frames.length < count) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), promise]);
        return frames;
      } finally {
        clearTimeout(timer);
      }
    },
    async leave() {
      leaving.abort();
      await ended;
    },
  };
}

function parse(block: string): Frame {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return { id: fields.get('id'), event: fields.get('event') ?? '', data: JSON.parse(fields.get('data') ?? '{}') };
}
