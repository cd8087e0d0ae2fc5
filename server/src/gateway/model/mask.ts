/** Shorter keys are placeholders for servers without authentication, or words that a response may contain. */
const minSecretLength = 12;
const mask = Buffer.from('********');

/** Removes a key from a stream, also where it spans chunks. Buffers only a possible beginning of the key. */
export class KeyMask {
  readonly #key: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(key: string) {
    this.#key = Buffer.from(key.length < minSecretLength ? '' : key);
  }

  push(chunk: Buffer): Buffer {
    if (this.#key.length === 0) return chunk;
    const parts: Buffer[] = [];
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (let at = rest.indexOf(this.#key); at >= 0; at = rest.indexOf(this.#key)) {
      parts.push(rest.subarray(0, at), mask);
      rest = rest.subarray(at + this.#key.length);
    }
    const end = rest.length - this.#begun(rest);
    this.#held = rest.subarray(end);
    parts.push(rest.subarray(0, end));
    return parts.length === 1 ? rest.subarray(0, end) : Buffer.concat(parts);
  }

  /** Returns the buffered bytes at the end of the stream. */
  end(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }

  /** Returns the number of trailing bytes that could begin the key. */
  #begun(bytes: Buffer): number {
    for (let length = Math.min(this.#key.length - 1, bytes.length); length > 0; length -= 1)
      if (bytes.subarray(bytes.length - length).equals(this.#key.subarray(0, length))) return length;
    return 0;
  }
}
