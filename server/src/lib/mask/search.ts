/** A stretch of the input in which a pattern's first symbols stand as they are. */
interface Stretch {
  from: number;
  end: number;
}

/**
 * Many times what any text needs that nobody made with a purpose, and some 20 ms for 1 MiB: a text that takes more has been
 * made to.
 */
const stepsPerByte = 12;

/** Looking for values in some input: what is known of it already, and what it may still cost. */
export class Search {
  readonly bytes: Buffer;
  /** Of each pattern the last one that is worth remembering. */
  readonly known = new Map<object, Stretch>();
  #left: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.#left = 16_384 + stepsPerByte * bytes.length;
  }

  spend(steps: number): void {
    this.#left -= steps;
  }

  /** Whether it has cost more than its length accounts for: then it was made to. */
  get isSpent(): boolean {
    return this.#left < 0;
  }
}

/** The Z function: how many symbols from each one on are the first ones again. */
export function repeatsOf(symbols: Int32Array): Int32Array {
  const { length } = symbols;
  const repeats = new Int32Array(length);
  repeats[0] = length;
  let left = 0;
  let right = 0;
  for (let at = 1; at < length; at += 1) {
    let count = at < right ? Math.min(right - at, repeats[at - left] ?? 0) : 0;
    while (at + count < length && symbols[count] === symbols[at + count]) count += 1;
    repeats[at] = count;
    if (at + count > right) [left, right] = [at, at + count];
  }
  return repeats;
}
