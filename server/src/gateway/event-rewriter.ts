import { Transform, type TransformCallback } from 'node:stream';
import { pace } from '../lib/pace.ts';
import { createSpeedLimit } from '../lib/speed-limit.ts';
import { memoryFull, type Allocation, type MessageMemory } from './message-memory.ts';

const lineFeed = 10;
const carriageReturn = 13;
/** A server that sends more events is read more slowly. */
const eventSpeed = { perSecond: 1_000, burst: 1_000 };

/**
 * Passes server-sent events through `rewrite` one at a time and ends lines with LF. Buffers an event until it is complete. An
 * event of more than `maxBytes`, or one that exceeds the session's message memory, ends the stream with an error.
 */
export class EventRewriter extends Transform {
  readonly #rewrite: (event: Buffer) => Promise<Buffer>;
  readonly #maxBytes: number;
  readonly #memory: Allocation;
  readonly #speed = createSpeedLimit(eventSpeed);
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** True while the current line is empty. */
  #lineIsEmpty = false;
  #afterReturn = false;

  constructor(limits: { maxBytes: number; memory: MessageMemory }, rewrite: (event: Buffer) => Promise<Buffer>) {
    super();
    this.#rewrite = rewrite;
    this.#maxBytes = limits.maxBytes;
    this.#memory = limits.memory.allocate();
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
      // A blank line behind an event means nothing.
      if (at === from && this.#heldBytes === 0) {
        from = at + 1;
        continue;
      }
      this.#hold(lines.subarray(from, at + 1));
      from = at + 1;
      await this.#pass();
      await this.#speed();
    }
    this.#hold(lines.subarray(from));
  }

  /** Normalizes line ends (CR, LF or CRLF) to LF. */
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
    if (!this.#memory.add(bytes)) throw new Error(memoryFull);
    if (this.#heldBytes > this.#maxBytes) throw new Error('The event is too long.');
  }

  async #pass(): Promise<void> {
    // Readers strip a byte order mark and would then see a different event than the one that was checked.
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
    this.#memory.release();
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
