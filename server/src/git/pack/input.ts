/** Bytes that arrive in pieces, read by generators: each `yield` asks for the next piece. */
export type Reading<T> = Generator<undefined, T, undefined>;

/** A stream that is not as its format says. The message says what is wrong with it. */
export class MalformedPack extends Error {}

/** The piece that is read, how far, and the bits that are left of its last byte. */
export class Input {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  hold = 0;
  bits = 0;

  /** Whether there are so many bits, up to 16; no more bytes are taken for them than they need. */
  has(bits: number): boolean {
    while (this.bits < bits) if (!this.takeByte()) return false;
    return true;
  }

  /** Bits that are there, the lowest first. */
  take(bits: number): number {
    const value = this.hold & ((1 << bits) - 1);
    this.drop(bits);
    return value;
  }

  drop(bits: number): void {
    this.hold >>>= bits;
    this.bits -= bits;
  }

  /** Adds a byte to the bits that are there; false at the end of the piece. */
  takeByte(): boolean {
    if (this.at >= this.bytes.length) return false;
    this.hold |= (this.bytes[this.at] ?? 0) << this.bits;
    this.at += 1;
    this.bits += 8;
    return true;
  }

  /** What is left of a byte means nothing. */
  align(): void {
    this.hold = 0;
    this.bits = 0;
  }
}

/** Only where no bits are left of a byte. */
export function* readByte(input: Input): Reading<number> {
  while (!input.has(8)) yield;
  return input.take(8);
}

/** As {@link readByte}. */
export function* skipBytes(input: Input, count: number): Reading<void> {
  for (let left = count; left > 0;) {
    while (input.at >= input.bytes.length) yield;
    const step = Math.min(left, input.bytes.length - input.at);
    input.at += step;
    left -= step;
  }
}
