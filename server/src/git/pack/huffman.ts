import { MalformedPack, type Input } from './input.ts';

const fastBits = 9;
const fastMask = (1 << fastBits) - 1;
const maxLength = 15;

/** Returned if the piece ended within a code; the bits read so far are kept. */
export const needsMore = -1;

/** A canonical Huffman code of RFC 1951: short codes are decoded by a table, longer ones bit by bit. */
export class HuffmanCode {
  /** Table by the next bits: `symbol << 4 | length`; 0 if the code is longer or invalid. */
  readonly #fast = new Uint16Array(1 << fastBits);
  /** Number of codes by length. */
  readonly #counts = new Uint16Array(maxLength + 1);
  /** The symbols in the order of their codes. */
  readonly #symbols = new Uint16Array(288);
  /** By length, while the code is built: the next code, and the index of its symbol. */
  readonly #codes = new Uint16Array(maxLength + 1);
  readonly #places = new Uint16Array(maxLength + 1);

  /** Builds the code from the symbols' code lengths, 0 for none. Refuses the same codes as zlib. */
  assign(lengths: Uint8Array, { mayBeIncomplete }: { mayBeIncomplete: boolean }): this {
    this.#count(lengths, mayBeIncomplete);
    this.#fast.fill(0);
    for (let symbol = 0; symbol < lengths.length; symbol += 1) {
      const length = lengths[symbol] ?? 0;
      if (length === 0) continue;
      const place = this.#places[length] ?? 0;
      this.#places[length] = place + 1;
      this.#symbols[place] = symbol;
      const code = this.#codes[length] ?? 0;
      this.#codes[length] = code + 1;
      if (length > fastBits) continue;
      const entry = (symbol << 4) | length;
      for (let at = reversed(code, length); at <= fastMask; at += 1 << length) this.#fast[at] = entry;
    }
    return this;
  }

  /** Counts lengths. Refuses ambiguous codes, and incomplete ones with more than one symbol. */
  #count(lengths: Uint8Array, mayBeIncomplete: boolean): void {
    const counts = this.#counts.fill(0);
    for (let at = 0; at < lengths.length; at += 1) {
      const length = lengths[at] ?? 0;
      counts[length] = (counts[length] ?? 0) + 1;
    }
    const used = lengths.length - (counts[0] ?? 0);
    counts[0] = 0;
    let free = 1;
    let code = 0;
    let place = 0;
    for (let length = 1; length <= maxLength; length += 1) {
      const count = counts[length] ?? 0;
      this.#codes[length] = code;
      this.#places[length] = place;
      code = (code + count) << 1;
      place += count;
      free = free * 2 - count;
      if (free < 0) throw new MalformedPack('its compressed data has an ambiguous code');
    }
    if (free === 0 || used === 0) return;
    if (!mayBeIncomplete || used > 1 || counts[1] !== 1)
      throw new MalformedPack('its compressed data has an incomplete code');
  }

  /** Returns the next symbol, or {@link needsMore}. Consumes no more bytes than the symbol needs. */
  decode(input: Input): number {
    for (;;) {
      const entry = this.#fast[input.hold & fastMask] ?? 0;
      const length = entry & 15;
      if (length !== 0 && length <= input.bits) {
        input.drop(length);
        return entry >> 4;
      }
      if (length === 0 && input.bits >= fastBits) {
        const symbol = this.#decodeLong(input);
        if (symbol !== needsMore) return symbol;
      }
      if (!input.takeByte()) return needsMore;
    }
  }

  #decodeLong(input: Input): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= maxLength; length += 1) {
      if (length > input.bits) return needsMore;
      code |= (input.hold >>> (length - 1)) & 1;
      const count = this.#counts[length] ?? 0;
      if (code - first < count) {
        input.drop(length);
        return this.#symbols[index + code - first] ?? 0;
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new MalformedPack('its compressed data has an unused code');
  }
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit += 1) result |= ((code >> bit) & 1) << (length - 1 - bit);
  return result;
}
