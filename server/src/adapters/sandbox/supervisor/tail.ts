/** Keeps the last `keepBytes` of a stream and counts its length; uses at most twice that memory. */
export class Tail {
  readonly #keepBytes: number;
  #chunks: Buffer[] = [];
  #held = 0;
  #total = 0;

  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  get totalBytes(): number {
    return this.#total;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held > 2 * this.#keepBytes) this.#compact();
  }

  bytes(): Buffer {
    this.#compact();
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #compact(): void {
    const all = Buffer.concat(this.#chunks);
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - this.#keepBytes)));
    this.#chunks = [kept];
    this.#held = kept.length;
  }
}
