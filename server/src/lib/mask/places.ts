import { ampersand, backslash, endsOfLead, percent, readEscape } from './escapes.ts';

export const newline = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const plus = 0x2b;
/** In a shell's quotes it is written `'\''`. */
export const quote = 0x27;

/** The positions at which a pattern may continue after a symbol. */
export class Places {
  readonly bytes: Buffer;
  readonly #all = new Set<number>();
  /** The number of positions found, duplicates included. */
  tries = 0;
  /** True when the input ended before a decision was possible. */
  isCut = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get all(): number[] {
    return [...this.#all];
  }

  add(place: number): void {
    this.tries += 1;
    this.#all.add(place);
  }

  /** Accepts a character verbatim or escaped. */
  character(at: number, code: number): void {
    if (code === newline) {
      for (const place of this.lineStarts(at)) this.add(place);
      return;
    }
    const byte = this.bytes[at];
    if (byte === undefined) {
      this.isCut = true;
      return;
    }
    if (code === quote && byte === quote) this.#quoted(at);
    if (code > 127) this.#severalBytes(at, code);
    else if (byte === code || (byte === plus && code === space)) {
      if (byte !== percent && byte !== backslash && byte !== ampersand) return this.add(at + 1);
      const { ends, isCut } = endsOfLead(this.bytes, at);
      this.isCut ||= isCut;
      for (const end of ends) this.add(end);
    }
    this.#escaped(at, code);
  }

  #quoted(at: number): void {
    let end = at + 1;
    while (this.bytes[end] === backslash && end - at < 9) end += 1;
    if (end >= this.bytes.length) this.isCut = true;
    if (end === at + 1) return;
    for (const place of [end, end + 1]) {
      if (place >= this.bytes.length) this.isCut = true;
      if (this.bytes[place] !== quote) return;
    }
    this.add(end + 2);
  }

  #escaped(at: number, code: number): void {
    const escape = readEscape(this.bytes, at);
    if (escape.code === -2) this.isCut = true;
    else if (escape.code === code) this.add(escape.end);
  }

  #severalBytes(at: number, code: number): void {
    let place = at;
    for (const wanted of Buffer.from(String.fromCodePoint(code))) {
      const byte = this.bytes[place];
      if (byte === undefined) {
        this.isCut = true;
        return;
      }
      const escape = byte === wanted ? { code: wanted, end: place + 1 } : readEscape(this.bytes, place);
      if (escape.code === -2) this.isCut = true;
      if (escape.code !== wanted) return;
      place = escape.end;
    }
    this.add(place);
  }

  /** Returns the starts of the next line after a possible line break: with and without the line's prefix. */
  lineStarts(at: number): number[] {
    let from = at;
    const before = this.#newlinePart(at, carriageReturn);
    if (before !== undefined) from = before;
    const start = this.#newlinePart(from, newline);
    if (start === undefined) return [];
    const { ends, isCut } = prefixesOf(this.bytes, start);
    this.isCut ||= isCut;
    return ends;
  }

  #newlinePart(at: number, code: number): number | undefined {
    const byte = this.bytes[at];
    if (byte === undefined) this.isCut = true;
    if (byte === code) return at + 1;
    const escape = readEscape(this.bytes, at);
    if (escape.code === -2) this.isCut = true;
    return escape.code === code ? escape.end : undefined;
  }
}

const maxIndent = 64;

/** Returns the possible starts of a line's text: its beginning, or after indentation, a diff marker or a line number. */
export function prefixesOf(bytes: Buffer, start: number): { ends: number[]; isCut: boolean } {
  const ends = new Set([start]);
  let isCut = false;
  const blanks = (from: number): number => {
    let end = from;
    while (end - from < maxIndent && (bytes[end] === space || bytes[end] === 0x09)) end += 1;
    isCut ||= end >= bytes.length;
    return end;
  };
  const indented = blanks(start);
  ends.add(indented);
  const mark = bytes[start];
  if (mark === plus || mark === 0x2d || mark === space || mark === 0x3e || mark === 0x7c || mark === 0x23) {
    ends.add(start + 1);
    ends.add(blanks(start + 1));
  }
  let digits = indented;
  while (digits - indented < 7 && isDigit(bytes[digits])) digits += 1;
  isCut ||= digits >= bytes.length;
  if (digits > indented && bytes[digits] === 0x09) ends.add(digits + 1);
  return { ends: [...ends], isCut };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
