import { ampersand, backslash, maxBackslashes, percent, readEscape } from './escapes.ts';
import type { Pattern } from './pattern.ts';

/** Maps bytes that are equivalent in some encoding to the same byte; 0 for bytes that begin an escape or may separate symbols. */
const alike = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));
for (const letter of "%\\&'+-:, \t\r\n") alike[letter.charCodeAt(0)] = 0;
alike['_'.charCodeAt(0)] = '/'.charCodeAt(0);

/** Finds the few patterns that can begin at a position by its first two bytes. */
export class PatternIndex {
  /** By both bytes; 0 for no pattern, 1 for an escape, which must be decoded. */
  readonly pairs = new Int32Array(65_536);
  readonly lists: Pattern[][] = [[], []];
  /** Bytes that a pattern may begin with while the next byte is unknown. */
  readonly firsts = new Uint8Array(256);
  /** A Bloom filter of the first four bytes, where each has only one spelling. */
  readonly #fours: Uint8Array;
  readonly #fourBits: number;
  readonly #byCode = new Map<number, Pattern[]>();
  readonly #all: readonly Pattern[];

  constructor(patterns: readonly Pattern[]) {
    this.#all = patterns;
    this.#fourBits = Math.min(21, Math.max(13, Math.ceil(Math.log2(patterns.length * 64))));
    this.#fours = new Uint8Array(1 << (this.#fourBits - 3));
    for (const pattern of patterns) {
      for (const [first, second] of pattern.beginnings()) this.#add(first, second, pattern);
      const bit = this.#bitAt(pattern.plainBeginning, 0);
      this.#fours[bit >> 3] = (this.#fours[bit >> 3] ?? 0) | (1 << (bit & 7));
      for (const code of codesOf(pattern)) {
        const list = this.#byCode.get(code) ?? [];
        list.push(pattern);
        this.#byCode.set(code, list);
      }
    }
    for (const lead of [percent, backslash, ampersand]) {
      this.firsts[lead] = 1;
      this.pairs.fill(1, lead << 8, (lead + 1) << 8);
    }
  }

  #add(first: number, second: number, pattern: Pattern): void {
    this.firsts[first] = 1;
    if (second === 256) {
      for (let byte = 0; byte < 256; byte += 1) this.#add(first, byte, pattern);
      return;
    }
    const pair = (first << 8) | second;
    this.pairs[pair] ||= this.lists.push([]) - 1;
    const list = this.lists[this.pairs[pair] ?? 0] ?? [];
    if (list.at(-1) !== pattern) list.push(pattern);
  }

  #bitAt(bytes: Uint8Array, at: number): number {
    const [one = 0, two = 0] = [alike[bytes[at] ?? 0], alike[bytes[at + 1] ?? 0]];
    const [three = 0, four = 0] = [alike[bytes[at + 2] ?? 0], alike[bytes[at + 3] ?? 0]];
    return Math.imul((one << 24) | (two << 16) | (three << 8) | four, 0x9e3779b1) >>> (32 - this.#fourBits);
  }

  /** Returns true if the four bytes at a position can begin a pattern. */
  mayBegin(bytes: Buffer, at: number): boolean {
    for (let next = at; next < at + 4; next += 1) if (alike[bytes[next] ?? 0] === 0) return true;
    const bit = this.#bitAt(bytes, at);
    return ((this.#fours[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  /**
   * Skips a run of too many backslashes but for the last ones, which may be an escape; any other byte alone. Returns
   * the next position.
   */
  behindBackslashes(bytes: Buffer, at: number): number {
    if (bytes[at + maxBackslashes] !== backslash || this.#byCode.has(backslash)) return at + 1;
    let end = at + 1;
    while (bytes[end] === backslash) end += 1;
    return Math.max(at + 1, end - maxBackslashes);
  }

  /** Returns the patterns that may begin with the escape at a position. */
  escaped(bytes: Buffer, at: number): readonly Pattern[] {
    const { code } = readEscape(bytes, at);
    if (code === -2) return this.#all;
    const raw = this.#byCode.get(bytes[at] ?? 0) ?? [];
    return code === -1 ? raw : [...raw, ...(this.#byCode.get(code) ?? [])];
  }
}

/** Returns the characters that an escape at the beginning of a pattern may represent. */
function codesOf({ spelling, first }: Pattern): number[] {
  if (spelling === 'hex') return [];
  if (spelling === 'base64') return first === 62 ? [0x2b, 0x2d] : first === 63 ? [0x2f, 0x5f] : [];
  if (first < 128) return first === 0x0a ? [0x0a, 0x0d] : [first];
  // Byte by byte, or as a whole.
  return [first, Buffer.from(String.fromCodePoint(first))[0] ?? first];
}
