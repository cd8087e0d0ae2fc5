import { StringDecoder } from 'node:string_decoder';

/** Limit for the text of one event. */
export const maxEventBytes = 16 * 1024;
/** Limit for the output events of one command; the rest is in its artifact. */
export const maxCommandEventBytes = 256 * 1024;
/** Length of the output's tail in a command's evidence. */
export const maxTailBytes = 4 * 1024;

/** Makes text valid for events: replaces U+0000 and lone surrogates with U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Returns the beginning of a text, with an ellipsis where it was cut. */
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

/** Returns the end of an output as valid text of at most `maxBytes` UTF-8 bytes. */
export function tailText(output: Buffer, maxBytes: number = maxTailBytes): string {
  let start = Math.max(0, output.length - maxBytes);
  while (start > 0 && isContinuation(output[start])) start += 1;
  // The replacement of an invalid byte takes three bytes.
  const clean = Buffer.from(cleanText(output.toString('utf8', start)), 'utf8');
  let from = Math.max(0, clean.length - maxBytes);
  while (from > 0 && isContinuation(clean[from])) from += 1;
  return clean.toString('utf8', from);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Keeps the last bytes of a stream. */
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

/** Converts a command's chunks into the texts of output events, up to the limit of one command. */
export class OutputEvents {
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  #left = maxCommandEventBytes;
  #exceeded = false;

  /** Output was left out. */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  bytes(stream: 'stdout' | 'stderr', chunk: Buffer): string[] {
    return this.text(this.#decoders[stream].write(chunk));
  }

  /** Returns the texts of incomplete characters at the end of the streams. */
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
