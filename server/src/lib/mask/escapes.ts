/** The result of {@link readEscape}: the character, or why there is none. */
export interface Escape {
  /** A code point, or a byte from 128 on; -1 when there is no escape, -2 when the input ends inside of one. */
  code: number;
  /** The position after the escape. */
  end: number;
}

export const percent = 0x25;
export const ampersand = 0x26;
export const backslash = 0x5c;

/** The maximum levels of repeated escaping. */
const maxLevels = 8;
/** More backslashes in a row are not an escape. */
export const maxBackslashes = 64;

const none: Escape = { code: -1, end: -1 };
const cut: Escape = { code: -2, end: -1 };

/** Reads `%41`, `\n`, `\u0041`, `\x41`, `\101`, `\"`, `&amp;`, `&#65;`, also where they were escaped again. */
export function readEscape(bytes: Buffer, at: number): Escape {
  const lead = bytes[at];
  if (lead === percent) return readPercent(bytes, at);
  if (lead === backslash) return readBackslash(bytes, at);
  return lead === ampersand ? readEntity(bytes, at) : none;
}

/**
 * Returns the positions after the first of `%`, `%25`, `%2525` … or of `&`, `&amp;`, `&amp;amp;` …: every place where that
 * character may end.
 */
export function endsOfLead(bytes: Buffer, at: number): { ends: number[]; isCut: boolean } {
  const lead = bytes[at];
  const ends = [at + 1];
  if (lead === backslash) {
    let end = at + 1;
    while (end - at < maxBackslashes && bytes[end] === backslash) ends.push((end += 1));
    return { ends, isCut: end >= bytes.length };
  }
  const again = lead === percent ? '25' : 'amp;';
  for (let level = 0; level < maxLevels; level += 1) {
    const from = ends.at(-1) ?? at;
    const found = startsWith(bytes, from, again);
    if (found === 'cut') return { ends, isCut: true };
    if (found === 'no') break;
    ends.push(from + again.length);
  }
  return { ends, isCut: false };
}

function readPercent(bytes: Buffer, at: number): Escape {
  let from = at + 1;
  for (let level = 0; level < maxLevels; level += 1) {
    const code = readHex(bytes, from, 2);
    if (code < 0) return code === -2 ? cut : none;
    const isAgain = code === percent && readHex(bytes, from + 2, 2);
    if (isAgain === -2) return cut;
    if (isAgain === false || isAgain < 0) return { code, end: from + 2 };
    from += 2;
  }
  return none;
}

const simple = new Map([0, 7, 8, 9, 10, 11, 12, 13, 27].map((code, index) => ['0abtnvfre'.charCodeAt(index), code]));

function readBackslash(bytes: Buffer, at: number): Escape {
  let from = at;
  while (bytes[from] === backslash) {
    from += 1;
    if (from - at > maxBackslashes) return none;
  }
  const letter = bytes[from];
  if (letter === undefined) return cut;
  if (letter === 0x75) return readUnicode(bytes, from + 1);
  if (letter === 0x78) return escapeOf(readHex(bytes, from + 1, 2), from + 3);
  if (isOctal(letter)) {
    const octal = readOctal(bytes, from);
    if (octal.code !== -1) return octal;
  }
  const code = simple.get(letter);
  if (code !== undefined) return { code, end: from + 1 };
  // Characters that need no escape may have one: `\/` in JSON, `\ ` in a shell.
  return isLetterOrDigit(letter) || letter > 126 || letter <= 31 ? none : { code: letter, end: from + 1 };
}

function readOctal(bytes: Buffer, from: number): Escape {
  let code = 0;
  for (let index = 0; index < 3; index += 1) {
    const digit = bytes[from + index];
    if (digit === undefined) return cut;
    if (!isOctal(digit)) return none;
    code = code * 8 + digit - 48;
  }
  return code > 255 ? none : { code, end: from + 3 };
}

/** Parses the rest of `\u`: four digits, of which two may form a pair, or any number in braces. */
function readUnicode(bytes: Buffer, from: number): Escape {
  if (bytes[from] === 0x7b) {
    for (let end = from + 1; end <= from + 7; end += 1) {
      if (end >= bytes.length) return cut;
      if (bytes[end] === 0x7d) return escapeOf(readHex(bytes, from + 1, end - from - 1), end + 1);
    }
    return none;
  }
  const high = readHex(bytes, from, 4);
  if (high < 0xd800 || high > 0xdbff) return escapeOf(high, from + 4);
  let next = from + 4;
  while (bytes[next] === backslash && next - from < maxBackslashes) next += 1;
  if (next >= bytes.length) return cut;
  if (bytes[next] !== 0x75) return none;
  const low = readHex(bytes, next + 1, 4);
  if (low === -2) return cut;
  if (low < 0xdc00 || low > 0xdfff) return none;
  return { code: 0x10000 + (high - 0xd800) * 0x400 + low - 0xdc00, end: next + 5 };
}

const entities: readonly [string, number][] = [
  ['lt;', 0x3c],
  ['gt;', 0x3e],
  ['quot;', 0x22],
  ['apos;', 0x27],
];

function readEntity(bytes: Buffer, at: number): Escape {
  const { ends, isCut } = endsOfLead(bytes, at);
  if (isCut) return cut;
  const from = ends.at(-1) ?? at;
  if (bytes[from] === 0x23) return readNumber(bytes, from + 1);
  for (const [name, code] of entities) {
    const found = startsWith(bytes, from, name);
    if (found === 'cut') return cut;
    if (found === 'yes') return { code, end: from + name.length };
  }
  return none;
}

function readNumber(bytes: Buffer, from: number): Escape {
  const isHex = ((bytes[from] ?? 0) | 0x20) === 0x78;
  const first = isHex ? from + 1 : from;
  for (let end = first; end <= first + 8; end += 1) {
    const byte = bytes[end];
    if (byte === undefined) return cut;
    if (byte === 0x3b)
      return end === first
        ? none
        : { code: Number.parseInt(bytes.toString('latin1', first, end), isHex ? 16 : 10), end: end + 1 };
    if (hexValue(byte) < 0 || (!isHex && (byte < 48 || byte > 57))) return none;
  }
  return none;
}

function escapeOf(code: number, end: number): Escape {
  if (code === -2) return cut;
  return code < 0 ? none : { code, end };
}

/** Returns -1 for an invalid number, -2 when the input ends too early. */
function readHex(bytes: Buffer, from: number, length: number): number {
  let value = 0;
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[from + index];
    if (byte === undefined) return -2;
    const digit = hexValue(byte);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return length === 0 ? -1 : value;
}

export function hexValue(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function isOctal(byte: number): boolean {
  return byte >= 48 && byte <= 55;
}

function isLetterOrDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= 48 && byte <= 57) || (letter >= 97 && letter <= 122);
}

function startsWith(bytes: Buffer, from: number, text: string): 'yes' | 'no' | 'cut' {
  for (let index = 0; index < text.length; index += 1) {
    const byte = bytes[from + index];
    if (byte === undefined) return 'cut';
    if (byte !== text.charCodeAt(index)) return 'no';
  }
  return 'yes';
}
