import { Transform, type TransformCallback } from 'node:stream';
import { pace } from '../lib/pace.ts';
import { noRoom, type Held, type Room } from './room.ts';

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Passes server-sent events on one by one, each as `rewrite` has it, with LF at the ends of lines. An event is held until
 * it is whole, as whoever reads them does too; one of more than `maxBytes` ends the stream with an error, as does one for
 * which there is no room.
 */
export class EventRewriter extends Transform {
  readonly #rewrite: (event: Buffer) => Promise<Buffer>;
  readonly #maxBytes: number;
  readonly #room: Held;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Whether the line that is being read has nothing in it yet. */
  #lineIsEmpty = false;
  #afterReturn = false;

  constructor(limits: { maxBytes: number; room: Room }, rewrite: (event: Buffer) => Promise<Buffer>) {
    super();
    this.#rewrite = rewrite;
    this.#maxBytes = limits.maxBytes;
    this.#room = limits.room.open();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    void settle(this.#take(chunk), done);
  }

  override _flush(done: TransformCallback): void {
    void settle(this.#pass(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#letGo();
    done(error);
  }

  async #take(chunk: Buffer): Promise<void> {
    await pace();
    const lines = this.#withLineFeeds(chunk);
    let from = 0;
    for (let at = 0; at < lines.length && !this.destroyed; at += 1) {
      const ends = lines[at] === lineFeed && this.#lineIsEmpty;
      this.#lineIsEmpty = lines[at] === lineFeed;
      if (!ends) continue;
      this.#hold(lines.subarray(from, at + 1));
      from = at + 1;
      await this.#pass();
    }
    this.#hold(lines.subarray(from));
  }

  /** Lines end with CR, LF or both. */
  #withLineFeeds(chunk: Buffer): Buffer {
    const lines = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      const isSecondHalf = byte === lineFeed && this.#afterReturn;
      this.#afterReturn = byte === carriageReturn;
      if (isSecondHalf) continue;
      lines[length] = byte === carriageReturn ? lineFeed : byte;
      length += 1;
    }
    return lines.subarray(0, length);
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0 || this.destroyed) return;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (!this.#room.take(bytes)) throw new Error(noRoom);
    if (this.#heldBytes > this.#maxBytes) throw new Error('an event is too long');
  }

  async #pass(): Promise<void> {
    // Readers take a byte order mark away, and would see another event than the one that was looked at.
    const event = Buffer.concat(this.#held);
    let from = 0;
    while (event[from] === 0xef && event[from + 1] === 0xbb && event[from + 2] === 0xbf) from += 3;
    try {
      await pace();
      const rewritten = await this.#rewrite(event.subarray(from));
      if (!this.destroyed) this.push(rewritten);
    } finally {
      this.#letGo();
    }
  }

  #letGo(): void {
    this.#room.letGo();
    this.#held = [];
    this.#heldBytes = 0;
  }
}

async function settle(work: Promise<void>, done: TransformCallback): Promise<void> {
  try {
    await work;
  } catch (error) {
    return done(error instanceof Error ? error : new Error(String(error)));
  }
  return done();
}
