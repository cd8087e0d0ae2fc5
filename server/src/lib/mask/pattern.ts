import { ampersand, backslash, hexValue, percent, readEscape } from './escapes.ts';
import { repeatsOf, type Search } from './search.ts';
import { carriageReturn, newline, Places, plus, quote, space } from './places.ts';

/** How a value is written: character by character (some of them perhaps escaped), in hexadecimal or in base64. */
type Spelling = 'text' | 'hex' | 'base64';

/** Where a pattern ends, -1 when it is not there; `isCut`: more input might let it be there, or end later. */
export interface Found {
  end: number;
  isCut: boolean;
}

/** The sextet that a byte is in either alphabet of base64, 255 for any other. */
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

/** Characters some of whose escapes begin with themselves, so that where they end is not certain, and those of several bytes. */
function isDirect(code: number): boolean {
  return (
    code < 128 && code !== percent && code !== backslash && code !== ampersand && code !== newline && code !== quote
  );
}

/**
 * So many symbols a pattern has before its first line break. With fewer, the end of nearly every line could be the beginning
 * of some value, and a stream would hold it back until more comes.
 */
const unbroken = { base64: 4, hex: 8 } as const;

/** What may stand in a pattern beside its own letters: escapes, line breaks and separators. */
const goesOn = {
  base64: tableOf([percent, backslash, ampersand, newline, carriageReturn]),
  hex: tableOf([percent, backslash, ampersand, newline, carriageReturn, space, 0x09, 0x3a, 0x2c, 0x2d]),
} as const;

function tableOf(bytes: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

/** Most escapes stand for nothing of such a pattern, which is seen without reading them. */
function mayGoOn(spelling: 'base64' | 'hex', bytes: Buffer, at: number): boolean {
  const byte = bytes[at] ?? 0;
  if (goesOn[spelling][byte] !== 1) return false;
  const next = bytes[at + 1] ?? 0x30;
  return byte !== percent || next === 0x30 || next === 0x32;
}

export const missing: Found = { end: -1, isCut: false };
export const cutOff: Found = { end: -1, isCut: true };

/** What is worth remembering. */
const longStretch = 16;

/** What it costs to read an escape, in symbols that stand there as they are. */
export const escapeCost = 8;

/** What it costs to look for a symbol that may be escaped, or on the next line. */
const stepCost = 16;

/** One way to write one value. */
export class Pattern {
  readonly spelling: Spelling;
  readonly #symbols: Int32Array;
  /** How many symbols from each one on are the pattern's first ones again; made when it is first asked for. */
  #repeats: Int32Array | undefined;

  private constructor(spelling: Spelling, symbols: Int32Array) {
    this.spelling = spelling;
    this.#symbols = symbols;
  }

  /** Every pattern of a value. */
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
    // A line may end within the first symbols: what follows is looked for alone.
    function broken(spelling: 'hex' | 'base64', symbols: Int32Array): Pattern[] {
      return [new Pattern(spelling, symbols), new Pattern(spelling, symbols.subarray(unbroken[spelling]))];
    }
  }

  /** The symbol that it begins with: a code point for text. */
  get first(): number {
    return this.#symbols[0] ?? 0;
  }

  /** What its first two bytes can be where the first one is no escape; 256 is any byte. */
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

  /** Its first four bytes, in one of the ways that have no escape, no blank and no line break among them. */
  get plainBeginning(): Uint8Array {
    const symbols = this.#symbols.subarray(0, 4);
    if (this.spelling === 'text') return Buffer.from(String.fromCodePoint(...symbols)).subarray(0, 4);
    return Uint8Array.from(symbols, (symbol) => bytesOf(this.spelling, symbol)[0] ?? 0);
  }

  /** Looks whether it is at a place; once the search is spent the answer means nothing. */
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

  /** Goes on where there may be several ways to go on. */
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

  /** How many of the first symbols stand at a place as they are. What was compared for an earlier place is not again. */
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

  /** How many of the next symbols stand there as they are. */
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

/** The sextets that a value alone decides, with so many bytes before it in its group of three. */
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

/** A base64 text may be broken into lines, but for its first symbols. */
function stepBase64(next: Places, at: number, symbol: number, index: number): void {
  const letters = symbol === 62 ? '+-' : symbol === 63 ? '/_' : (alphabet[symbol] ?? '');
  const starts = index < unbroken.base64 ? [at] : [at, ...next.lineStarts(at)];
  for (const start of starts) for (const letter of letters) next.character(start, letter.charCodeAt(0));
}

/** Between bytes there may be separators, and line breaks. */
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
