import { ProviderError } from '../lib/errors.ts';

/** Reads lines and counted bytes from a stream. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns the next line without its line break; at the end of the stream, the rest. */
  async line(): Promise<string> {
    for (let end = this.#rest.indexOf(10); ; end = this.#rest.indexOf(10)) {
      if (end >= 0) return this.#cut(end + 1).toString('utf8', 0, end);
      const next = await this.#source.next();
      if (next.done === true) return this.#cut(this.#rest.length).toString('utf8');
      this.#rest = Buffer.concat([this.#rest, next.value]);
    }
  }

  async take(size: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(size)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Yields the next `size` bytes in pieces. */
  async *pieces(size: number): AsyncGenerator<Buffer> {
    for (let missing = size; missing > 0;) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) throw new ProviderError('git cat-file ended too early', { retryable: true });
        this.#rest = next.value;
      }
      const piece = this.#cut(Math.min(missing, this.#rest.length));
      missing -= piece.length;
      yield piece;
    }
  }

  #cut(size: number): Buffer {
    const taken = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return taken;
  }
}
