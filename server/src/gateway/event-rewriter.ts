import { Transform, type TransformCallback } from 'node:stream';

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Passes server-sent events on one by one, each as `rewrite` has it, with LF at the ends of lines. An event is held until
 * it is whole, as whoever reads them does too; one of more than `maxBytes` ends the stream with an error.
 */
export class EventRewriter extends Transform {
  readonly #rewrite: (event: string) => string;
  readonly #maxBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Whether the line that is being read has nothing in it yet. */
  #lineIsEmpty = false;
  #afterReturn = false;

  constructor(maxBytes: number, rewrite: (event: string) => string) {
    super();
    this.#maxBytes = maxBytes;
    this.#rewrite = rewrite;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      // An event that ended with CR went on already.
      if (byte === lineFeed && this.#afterReturn && this.#heldBytes === 0 && from === at) from = at + 1;
      if (!this.#endsEvent(byte)) continue;
      this.#hold(chunk.subarray(from, at + 1));
      this.push(this.#take());
      from = at + 1;
    }
    this.#hold(chunk.subarray(from));
    done(this.#heldBytes > this.#maxBytes ? new Error('an event is too long') : null);
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#take());
  }

  /** Lines end with CR, LF or both; an event ends with an empty one. */
  #endsEvent(byte: number): boolean {
    const isSecondHalf = byte === lineFeed && this.#afterReturn;
    this.#afterReturn = byte === carriageReturn;
    if (isSecondHalf) return false;
    if (byte !== lineFeed && byte !== carriageReturn) {
      this.#lineIsEmpty = false;
      return false;
    }
    const ends = this.#lineIsEmpty;
    this.#lineIsEmpty = true;
    return ends;
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #take(): Buffer {
    // Readers take a byte order mark away, and would see another event than the one that was looked at.
    const event = Buffer.concat(this.#held)
      .toString('utf8')
      .replace(/^\uFEFF+/, '')
      .replaceAll(/\r\n?/g, '\n');
    this.#held = [];
    this.#heldBytes = 0;
    return Buffer.from(this.#rewrite(event));
  }
}
