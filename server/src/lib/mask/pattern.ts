import { ampersand, backslash, hexValue, percent, readEscape } from './escapes.ts';
import { repeatsOf, type Search } from './search.ts';
import { carriageReturn, newline, Places, plus, quote, space } from './places.ts';

/** The encoding of a value: characters (some perhaps escaped), hexadecimal or base64. */
type Spelling = 'text' | 'hex' | 'base64';

/** The end of a pattern, -1 when it was not found; `isCut`: more input could change that. */
export interface Found {
  end: number;
  isCut: boolean;
}

/** The base64 sextet of each byte in either alphabet, 255 for any other byte. */
const sextets = new Uint8Array(256).fill(255);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (const [value, letter] of Array.from(alphabet).entries()) sextets[letter.charCodeAt(0)] = value;
sextets[0x2d] = 62;
sextets[0x5f] = 63;

const nibbles = Uint8Array.from({ length: 256 }, (_, byte) => (hexValue(byte) < 0 ? 255 : hexValue(byte)));

function bytesByValue(values: Uint8Array): number[][] {
  const bytes: number[][] = Array.from({ length: 64 }, () => []);
  for (const [byte, value] of values.entries()) bytes[value]?.push(byte);
  return bytes;
}

const bytesOfSextet = bytesByValue(sextets);
const bytesOfNibble = bytesByValue(nibbles);

/**
 * Returns false for characters with escapes that begin with themselves, so that their end is ambiguous, and for multi-byte
 * ones.
 */
function isDirect(code: number): boolean {
  return (
    code < 128 && code !== percent && code !== backslash && code !== ampersand && code !== newline && code !== quote
  );
}

/**
 * The minimum number of symbols before a pattern's first line break. With fewer, nearly every line's end could begin some value
 * and would be buffered.
 */
const unbroken = { base64: 4, hex: 8 } as const;

/** The bytes allowed inside a pattern besides its own symbols: escapes, line breaks and separators. */
const goesOn = {
  base64: tableOf([percent, backslash, ampersand, newline, carriageReturn]),
  hex: tableOf([percent, backslash, ampersand, newline, carriageReturn, space, 0x09, 0x3a, 0x2c, 0x2d]),
} as const;

function tableOf(bytes: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

/** Rejects most escapes without decoding them: they cannot belong to such a pattern. */
function mayGoOn(spelling: 'base64' | 'hex', bytes: Buffer, at: number): boolean {
  const byte = bytes[at] ?? 0;
  if (goesOn[spelling][byte] !== 1) return false;
  const next = bytes[at + 1] ?? 0x30;
  return byte !== percent || next === 0x30 || next === 0x32;
}

export const missing: Found = { end: -1, isCut: false };
export const cutOff: Found = { end: -1, isCut: true };

/** The minimum length of a match that is cached. */
const longStretch = 16;

/** The cost of decoding an escape, in units of plain symbols. */
export const escapeCost = 8;

/** The cost of matching a symbol that may be escaped or on the next line. */
const stepCost = 16;

/** One encoding of one value. */
export class Pattern {
  readonly spelling: Spelling;
  readonly #symbols: Int32Array;
  /** The length of the pattern's prefix that repeats from each symbol on (Z function); computed on first use. */
  #repeats: Int32Array | undefined;

  private constructor(spelling: Spelling, symbols: Int32Array) {
    this.spelling = spelling;
    this.#symbols = symbols;
  }

  /** Returns all patterns of a value. */
  static of(value: string): Pattern[] {
    const bytes = Buffer.from(value);
    const hex = new Int32Array(bytes.length * 2);
    for (const [at, byte] of bytes.entries()) {
      hex[2 * at] = byte >> 4;
      hex[2 * at + 1] = byte & 15;
    }
    return [
      new Pattern('text', codePointsOf(value.replaceAll('\r\n', '\n'))),
      ...broken('hex', hex),
      ...[0, 1, 2].flatMap((before) => broken('base64', sextetsOf(bytes, before))),
    ];
    // A line may end within the first symbols, so the rest is matched separately.
    function broken(spelling: 'hex' | 'base64', symbols: Int32Array): Pattern[] {
      return [new Pattern(spelling, symbols), new Pattern(spelling, symbols.subarray(unbroken[spelling]))];
    }
  }

  /** The first symbol: a code point for text. */
  get first(): number {
    return this.#symbols[0] ?? 0;
  }

  /** Yields the possible first two bytes where the first one is not an escape; 256 is any byte. */
  *beginnings(): Generator<[first: number, second: number]> {
    const [one = 0, two = 0] = this.#symbols;
    if (this.spelling === 'text' && one > 127) {
      const [first = 0] = Buffer.from(String.fromCodePoint(one));
      yield [first, 256];
      return;
    }
    const seconds = [
      ...bytesOf(this.spelling, two),
      ...(this.spelling === 'hex' ? [] : [percent, backslash, ampersand]),
    ];
    for (const first of bytesOf(this.spelling, one)) for (const second of seconds) yield [first, second];
  }

  /** The first four bytes in a form without escapes, blanks and line breaks. */
  get plainBeginning(): Uint8Array {
    const symbols = this.#symbols.subarray(0, 4);
    if (this.spelling === 'text') return Buffer.from(String.fromCodePoint(...symbols)).subarray(0, 4);
    return Uint8Array.from(symbols, (symbol) => bytesOf(this.spelling, symbol)[0] ?? 0);
  }

  /** Matches the pattern at a position. The result is meaningless once the search is spent. */
  at(search: Search, from: number): Found {
    const { bytes } = search;
    const symbols = this.#symbols;
    let place = from;
    let index = 0;
    for (;;) {
      const count = index === 0 ? this.#beginning(search, from) : this.#run(search, place, index);
      place += count;
      index += count;
      if (index === symbols.length) return { end: place, isCut: false };
      const byte = bytes[place];
      if (byte === undefined) return cutOff;
      if (this.spelling !== 'text')
        return mayGoOn(this.spelling, bytes, place) ? this.#search(search, place, index) : missing;
      const symbol = symbols[index] ?? 0;
      if (!isDirect(symbol)) return this.#search(search, place, index);
      if (byte === plus && symbol === space) {
        place += 1;
      } else {
        if (byte !== percent && byte !== backslash && byte !== ampersand) return missing;
        search.spend(escapeCost);
        const escape = readEscape(bytes, place);
        if (escape.code !== symbol) return escape.code === -2 ? cutOff : missing;
        place = escape.end;
      }
      index += 1;
      if (index === symbols.length) return { end: place, isCut: false };
    }
  }

  /** Continues where several continuations are possible. */
  #search(search: Search, from: number, firstIndex: number): Found {
    const symbols = this.#symbols;
    let places = [from];
    let isCut = false;
    for (let index = firstIndex; index < symbols.length;) {
      const [place = 0, ...others] = places;
      if (others.length === 0) {
        const count = this.#run(search, place, index);
        index += count;
        places = [place + count];
        if (index === symbols.length) break;
      }
      search.spend(stepCost * places.length);
      if (search.isSpent) return missing;
      const next = new Places(search.bytes);
      for (const at of places) this.#step(next, at, index);
      search.spend(next.tries);
      isCut ||= next.isCut;
      places = next.all;
      if (places.length === 0) return { end: -1, isCut };
      index += 1;
    }
    return { end: Math.max(...places), isCut };
  }

  /** Returns the number of first symbols that match verbatim. Reuses comparisons of earlier positions. */
  #beginning(search: Search, from: number): number {
    const known = search.known.get(this);
    let count = 0;
    if (known !== undefined && from < known.end) {
      this.#repeats ??= repeatsOf(this.#symbols);
      const repeated = this.#repeats[from - known.from] ?? 0;
      if (from + repeated < known.end) return repeated;
      count = known.end - from;
    }
    count += this.#run(search, from + count, count);
    if (count >= longStretch) search.known.set(this, { from, end: from + count });
    return count;
  }

  /** Returns the number of following symbols that match verbatim. */
  #run(search: Search, from: number, index: number): number {
    const count = this.#compare(search.bytes, from, index);
    search.spend(count + 1);
    return count;
  }

  #compare(bytes: Buffer, from: number, index: number): number {
    const symbols = this.#symbols;
    const most = Math.min(symbols.length - index, bytes.length - from);
    let count = 0;
    if (this.spelling === 'text') {
      for (; count < most; count += 1) {
        const symbol = symbols[index + count] ?? 0;
        if (symbol !== bytes[from + count] || !isDirect(symbol)) break;
      }
      return count;
    }
    const values = this.spelling === 'hex' ? nibbles : sextets;
    while (count < most && values[bytes[from + count] ?? 0] === symbols[index + count]) count += 1;
    return count;
  }

  #step(next: Places, at: number, index: number): void {
    const symbol = this.#symbols[index] ?? 0;
    if (this.spelling === 'text') next.character(at, symbol);
    else if (this.spelling === 'hex') stepHex(next, at, symbol, index);
    else stepBase64(next, at, symbol, index);
  }
}

function bytesOf(spelling: Spelling, symbol: number): number[] {
  if (spelling === 'text') {
    if (symbol > 127) return [Buffer.from(String.fromCodePoint(symbol))[0] ?? 0];
    if (symbol === newline) return [newline, carriageReturn];
    return symbol === space ? [space, plus] : [symbol];
  }
  return (spelling === 'hex' ? bytesOfNibble : bytesOfSextet)[symbol] ?? [];
}

function codePointsOf(text: string): Int32Array {
  const points = new Int32Array(text.length);
  let count = 0;
  for (const character of text) {
    points[count] = character.codePointAt(0) ?? 0;
    count += 1;
  }
  return points.subarray(0, count);
}

/** Returns the sextets that depend on the value alone, with this many bytes before it in its group of three. */
function sextetsOf(bytes: Buffer, before: number): Int32Array {
  const first = Math.ceil((before * 8) / 6);
  const end = Math.floor(((before + bytes.length) * 8) / 6);
  const found = new Int32Array(end - first);
  for (let at = first; at < end; at += 1) {
    const bit = at * 6 - before * 8;
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    found[at - first] = (pair >> (10 - (bit & 7))) & 63;
  }
  return found;
}

/** Allows line breaks in base64, but for the first symbols. */
function stepBase64(next: Places, at: number, symbol: number, index: number): void {
  const letters = symbol === 62 ? '+-' : symbol === 63 ? '/_' : (alphabet[symbol] ?? '');
  const starts = index < unbroken.base64 ? [at] : [at, ...next.lineStarts(at)];
  for (const start of starts) for (const letter of letters) next.character(start, letter.charCodeAt(0));
}

/** Allows separators and line breaks between bytes. */
function stepHex(next: Places, at: number, symbol: number, index: number): void {
  const starts = new Set([at]);
  if (index > 0 && index % 2 === 0) {
    let from = at;
    while (from - at < 4 && isSeparator(next.bytes[from])) starts.add((from += 1));
    if (index >= unbroken.hex) for (const start of next.lineStarts(from)) starts.add(start);
  }
  for (const start of starts) {
    const byte = next.bytes[start];
    if (byte === undefined) next.isCut = true;
    else if (nibbles[byte] === symbol) next.add(start + 1);
  }
}

function isSeparator(byte: number | undefined): boolean {
  return byte === space || byte === 0x09 || byte === 0x3a || byte === 0x2c || byte === 0x2d;
}
