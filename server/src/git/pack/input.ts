/** A reader of bytes that arrive in pieces: each `yield` requests the next piece. */
export type Reading<T> = Generator<undefined, T, undefined>;

/** Thrown for data that violates its format, with the reason in the message. */
export class MalformedPack extends Error {}

/** The current piece, the position in it, and the unread bits of the last byte. */
export class Input {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  hold = 0;
  bits = 0;

  /** Returns true if this many bits, up to 16, are available. Consumes no more bytes than needed. */
  has(bits: number): boolean {
    while (this.bits < bits) if (!this.takeByte()) return false;
    return true;
  }

  /** Takes available bits, the lowest first. */
  take(bits: number): number {
    const value = this.hold & ((1 << bits) - 1);
    this.drop(bits);
    return value;
  }

  drop(bits: number): void {
    this.hold >>>= bits;
    this.bits -= bits;
  }

  /** Adds a byte to the available bits. Returns false at the end of the piece. */
  takeByte(): boolean {
    if (this.at >= this.bytes.length) return false;
    this.hold |= (this.bytes[this.at] ?? 0) << this.bits;
    this.at += 1;
    this.bits += 8;
    return true;
  }

  /** Discards the remaining bits of a byte. */
  align(): void {
    this.hold = 0;
    this.bits = 0;
  }
}

/** Reads a byte. Only at a byte boundary. */
export function* readByte(input: Input): Reading<number> {
  while (!input.has(8)) yield;
  return input.take(8);
}

/** Skips bytes. Only at a byte boundary. */
export function* skipBytes(input: Input, count: number): Reading<void> {
  for (let left = count; left > 0;) {
    while (input.at >= input.bytes.length) yield;
    const step = Math.min(left, input.bytes.length - input.at);
    input.at += step;
    left -= step;
  }
}
