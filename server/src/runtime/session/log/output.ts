import { StringDecoder } from 'node:string_decoder';

/** No event holds more text than this. */
export const maxEventBytes = 16 * 1024;
/** What of one command's output becomes events; the rest is in its artifact. */
export const maxCommandEventBytes = 256 * 1024;
/** The tail of a command's output that stands in its evidence. */
export const maxTailBytes = 4 * 1024;

/** Text as events may hold it: U+0000 and lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The beginning of a text, marked where it was cut. */
export function beginningOf(text: string, maxBytes: number): string {
  const [first = '', ...rest] = cutText(text, maxBytes);
  return rest.length === 0 ? first : `${first}…`;
}

/** Cuts text into pieces of at most `maxBytes` UTF-8 bytes, never inside a character. */
export function cutText(text: string, maxBytes: number): string[] {
  const pieces: string[] = [];
  let rest = Buffer.from(text, 'utf8');
  while (rest.length > maxBytes) {
    let end = maxBytes;
    while (isContinuation(rest[end])) end -= 1;
    pieces.push(rest.toString('utf8', 0, end));
    rest = rest.subarray(end);
  }
  if (rest.length > 0) pieces.push(rest.toString('utf8'));
  return pieces;
}

/** The end of an output as clean text of at most `maxBytes` UTF-8 bytes. */
export function tailText(output: Buffer, maxBytes: number = maxTailBytes): string {
  let start = Math.max(0, output.length - maxBytes);
  while (start > 0 && isContinuation(output[start])) start += 1;
  // What was invalid grows to three bytes when it is replaced.
  const clean = Buffer.from(cleanText(output.toString('utf8', start)), 'utf8');
  let from = Math.max(0, clean.length - maxBytes);
  while (from > 0 && isContinuation(clean[from])) from += 1;
  return clean.toString('utf8', from);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The last bytes of what was pushed. */
export class Tail {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > 2 * this.#maxBytes + 64 * 1024) {
      this.#chunks = [this.bytes()];
      this.#size = this.#chunks[0]?.length ?? 0;
    }
  }

  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.subarray(Math.max(0, all.length - this.#maxBytes));
  }
}

/** Makes the texts of output events out of a command's chunks, within what one command may say. */
export class OutputEvents {
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  #left = maxCommandEventBytes;
  #exceeded = false;

  /** Whether something was left out. */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  bytes(stream: 'stdout' | 'stderr', chunk: Buffer): string[] {
    return this.text(this.#decoders[stream].write(chunk));
  }

  /** What a character that was never finished leaves. */
  end(): { stream: 'stdout' | 'stderr'; texts: string[] }[] {
    return (['stdout', 'stderr'] as const).map((stream) => ({
      stream,
      texts: this.text(this.#decoders[stream].end()),
    }));
  }

  text(text: string): string[] {
    const clean = cleanText(text);
    const size = Buffer.byteLength(clean);
    if (size <= this.#left) {
      this.#left -= size;
      return cutText(clean, maxEventBytes);
    }
    this.#exceeded = true;
    const [first = ''] = this.#left > 0 ? cutText(clean, this.#left) : [];
    this.#left = 0;
    return first === '' ? [] : cutText(first, maxEventBytes);
  }
}
