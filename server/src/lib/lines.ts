const lineFeed = 10;
const nothing: Buffer = Buffer.alloc(0);

/** Splits bytes into lines without their ends. Throws on a line that is too long: the other side may be hostile. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The beginning of the current line, in a buffer that grows: a line may arrive byte by byte. */
  #held = nothing;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      const end = chunk.subarray(from, at);
      from = at + 1;
      yield this.#endLine(end);
    }
    this.#hold(chunk.subarray(from));
  }

  #endLine(end: Buffer): Buffer {
    if (this.#heldBytes === 0) return end;
    this.#hold(end);
    const line = this.#held.subarray(0, this.#heldBytes);
    this.#held = nothing;
    this.#heldBytes = 0;
    return line;
  }

  #hold(piece: Buffer): void {
    const size = this.#heldBytes + piece.length;
    if (size > this.#maxBytes) throw new Error(`a line is longer than ${this.#maxBytes} bytes`);
    if (size > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(size, 2 * this.#held.length)));
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#heldBytes);
    this.#heldBytes = size;
  }
}
