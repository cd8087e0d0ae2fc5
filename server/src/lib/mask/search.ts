/** A range of the input in which a pattern's first symbols match verbatim. */
interface Stretch {
  from: number;
  end: number;
}

/** Many times the cost of any ordinary text, and some 20 ms for 1 MiB: an input that costs more is hostile. */
const stepsPerByte = 12;

/** The state of a search in one input: known matches and the remaining cost budget. */
export class Search {
  readonly bytes: Buffer;
  /** The last match of each pattern that is worth caching. */
  readonly known = new Map<object, Stretch>();
  #left: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.#left = 16_384 + stepsPerByte * bytes.length;
  }

  spend(steps: number): void {
    this.#left -= steps;
  }

  /** True when the search has cost more than the input's length allows, i.e. the input is hostile. */
  get isSpent(): boolean {
    return this.#left < 0;
  }
}

/** The Z function: the length of the prefix that repeats from each symbol on. */
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
