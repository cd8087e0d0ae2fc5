import { ampersand, backslash, percent, readEscape } from './mask-escapes.ts';
import { cutOff, missing, Pattern, type Found } from './mask-pattern.ts';
import { prefixesOf } from './mask-places.ts';
import { Search } from './mask-search.ts';

/** Takes secret values out of what passes, however they are spelled. */
export interface Mask {
  /** The text without the values; the same string when there is none. Where one was, what is no Unicode becomes U+FFFD. */
  text(text: string): string;
  /** Whether any of the values is in it. */
  finds(content: string | Buffer): boolean;
  /** A filter for one stream of bytes, of its own state. */
  stream(): MaskStream;
}

/** Holds back only what may be the beginning of a value, for as long as it may be one. */
export interface MaskStream {
  push(chunk: Buffer): Buffer;
  /** What was held back, when nothing more comes. */
  end(): Buffer;
  /** The bytes in which the first value was found, once one was: they end where those given until then did. */
  readonly found: Buffer | undefined;
}

/** Shorter values are not masked: they are in every other word, and a text without them would tell where they were. */
const minValueBytes = 8;
/** A line of a longer value is a value too, so that a key that is printed line by line is masked. */
const minLineLength = 12;
const minTellingLength = 20;
const replacement = '********';

export interface MaskOptions {
  /** Which lines of a value of several count alone: every long one, or only those that nobody would write by chance. */
  lines?: 'long' | 'telling';
}

/**
 * Makes a mask for values: each is found as it is, and in base64 (either alphabet, at any alignment, in lines),
 * hexadecimal, percent-encoding, and escaped as in JSON, HTML or a shell, wholly or in parts, also more than once.
 */
export function createMask(values: Iterable<string>, { lines = 'long' }: MaskOptions = {}): Mask {
  const wanted = new Set([...values].flatMap((value) => partsOf(value, lines)));
  if (wanted.size === 0) return nothing;
  const index = new Index([...wanted].flatMap((value) => Pattern.of(value)));
  return {
    text(text) {
      if (text.length < minValueBytes) return text;
      const bytes = Buffer.from(text);
      const out: Buffer[] = [];
      const { count } = scan(index, bytes, { isLast: true, out });
      return count === 0 ? text : Buffer.concat(out).toString();
    },
    finds(content) {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      return scan(index, bytes, { isLast: true, out: undefined }).count > 0;
    },
    stream: () => new Filter(index),
  };
}

const nothing: Mask = {
  text: (text) => text,
  finds: () => false,
  stream: () => ({ push: (chunk) => chunk, end: () => nothingYet, found: undefined }),
};

/** The value without the blanks around it, and its lines. */
function partsOf(value: string, lines: 'long' | 'telling'): string[] {
  const trimmed = value.toWellFormed().trim();
  if (Buffer.byteLength(trimmed) < minValueBytes) return [];
  if (!trimmed.includes('\n')) return [trimmed];
  const parts = trimmed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= minLineLength && !isArmor(line) && (lines === 'long' || isTelling(line)));
  return [trimmed, ...parts];
}

/** The frame around a key says what it is, and nothing of it. */
function isArmor(line: string): boolean {
  return /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(line);
}

function isTelling(line: string): boolean {
  const words = line.match(/[A-Za-z0-9+/=_-]+/g) ?? [];
  return words.some(
    (word) => word.length >= minTellingLength && /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word),
  );
}

/** Finds the few patterns that can begin at a place by its first two bytes. */
class Index {
  /** By both bytes; 0 stands for no pattern, 1 for an escape, which has to be read. */
  readonly pairs = new Int32Array(65_536);
  readonly lists: Pattern[][] = [[], []];
  /** Bytes that something may begin with, as long as the next one is not known. */
  readonly firsts = new Uint8Array(256);
  readonly #byCode = new Map<number, Pattern[]>();
  readonly #all: readonly Pattern[];

  constructor(patterns: readonly Pattern[]) {
    this.#all = patterns;
    const byPair = new Map<number, number>();
    for (const pattern of patterns) {
      for (const [first, second] of pattern.beginnings()) this.#add(byPair, first, second, pattern);
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

  #add(byPair: Map<number, number>, first: number, second: number, pattern: Pattern): void {
    this.firsts[first] = 1;
    if (second === 256) {
      for (let byte = 0; byte < 256; byte += 1) this.#add(byPair, first, byte, pattern);
      return;
    }
    const pair = (first << 8) | second;
    const at = byPair.get(pair) ?? this.lists.push([]) - 1;
    byPair.set(pair, at);
    this.pairs[pair] = at;
    const list = this.lists[at] ?? [];
    if (list.at(-1) !== pattern) list.push(pattern);
  }

  /** What may begin with the escape at a place. */
  escaped(bytes: Buffer, at: number): readonly Pattern[] {
    const { code } = readEscape(bytes, at);
    if (code === -2) return this.#all;
    const raw = this.#byCode.get(bytes[at] ?? 0) ?? [];
    return code === -1 ? raw : [...raw, ...(this.#byCode.get(code) ?? [])];
  }
}

/** The characters that an escape at the beginning of a pattern may stand for. */
function codesOf({ spelling, first }: Pattern): number[] {
  if (spelling === 'hex') return [];
  if (spelling === 'base64') return first === 62 ? [0x2b, 0x2d] : first === 63 ? [0x2f, 0x5f] : [];
  if (first < 128) return first === 0x0a ? [0x0a, 0x0d] : [first];
  // Byte by byte, or as a whole.
  return [first, Buffer.from(String.fromCodePoint(first))[0] ?? first];
}

interface Scanned {
  /** How many values there were. */
  count: number;
  /** From where on the rest is undecided. */
  heldFrom: number;
}

/**
 * Copies to `out` what is decided; without it, looks only until something is found. Input that is made to take long is
 * taken out whole from where it has taken too long.
 */
function scan(index: Index, bytes: Buffer, { isLast, out }: { isLast: boolean; out: Buffer[] | undefined }): Scanned {
  const { length } = bytes;
  const search = new Search(bytes);
  let count = 0;
  let copied = 0;
  // The values that overlap are taken out together.
  let open = -1;
  let close = -1;
  const shut = (): void => {
    if (open < 0) return;
    out?.push(bytes.subarray(copied, open), replacementOf(bytes, open, close));
    copied = close;
    open = -1;
  };
  let at = 0;
  while (at < length) {
    if (at >= close) shut();
    const limit = open < 0 ? length : close;
    at = nextCandidate(index, bytes, at, limit);
    if (at >= limit) continue;
    const found = longestAt(index, search, at);
    const { end, isCut } = search.isSpent ? { end: length, isCut: false } : found;
    if (isCut && !isLast) break;
    if (end >= 0) {
      count += 1;
      if (out === undefined) break;
      if (open < 0) open = at;
      close = Math.max(close, end);
    }
    at = search.isSpent ? length : at + 1;
  }
  if (at >= close) shut();
  const heldFrom = open >= 0 ? open : at;
  out?.push(bytes.subarray(copied, heldFrom));
  return { count, heldFrom };
}

/** The next place before `limit` where a pattern may begin, or `limit`. */
function nextCandidate({ pairs, firsts }: Index, bytes: Buffer, from: number, limit: number): number {
  const last = bytes.length - 1;
  const end = Math.min(limit, last);
  let at = from;
  while (at < end && pairs[((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)] === 0) at += 1;
  if (at === last && at < limit && firsts[bytes[at] ?? 0] === 0) at += 1;
  return at;
}

function longestAt(index: Index, search: Search, at: number): Found {
  const { bytes } = search;
  const first = bytes[at] ?? 0;
  if (at === bytes.length - 1) return index.firsts[first] === 1 ? cutOff : missing;
  const found = index.pairs[(first << 8) | (bytes[at + 1] ?? 0)] ?? 0;
  const patterns = found === 1 ? index.escaped(bytes, at) : (index.lists[found] ?? []);
  let longest = missing;
  for (const pattern of patterns) {
    const one = pattern.at(search, at);
    if (one === missing) continue;
    longest = { end: Math.max(longest.end, one.end), isCut: longest.isCut || one.isCut };
  }
  return longest;
}

/** As many lines as before, with what stood before them: a listing keeps its numbers, and a diff stays one. */
function replacementOf(bytes: Buffer, from: number, end: number): Buffer {
  const found = bytes.subarray(from, end);
  const parts = [replacement];
  for (let at = found.indexOf(10); at >= 0; at = found.indexOf(10, at + 1)) {
    const prefix = Math.max(...prefixesOf(found, at + 1).ends);
    const isNumber = found[prefix - 1] === 9 && prefix > at + 2;
    const mark = found.toString('latin1', at + 1, Math.min(at + 2, found.length));
    parts.push(
      '\n',
      isNumber ? found.toString('latin1', at + 1, prefix) : /[+\- ]/.test(mark) ? mark : '',
      replacement,
    );
  }
  return Buffer.from(parts.join(''));
}

/** When more than this may be the beginning of a value it is looked at again only once it has grown by a part of itself. */
const longBeginning = 1_024;

class Filter implements MaskStream {
  readonly #index: Index;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #nextBytes = 0;
  #found: Buffer | undefined;

  constructor(index: Index) {
    this.#index = index;
  }

  get found(): Buffer | undefined {
    return this.#found;
  }

  push(chunk: Buffer): Buffer {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes < this.#nextBytes ? nothingYet : this.#scan(false);
  }

  end(): Buffer {
    return this.#scan(true);
  }

  #scan(isLast: boolean): Buffer {
    const bytes = this.#held.length === 1 ? (this.#held[0] ?? nothingYet) : Buffer.concat(this.#held);
    const out: Buffer[] = [];
    const { count, heldFrom } = scan(this.#index, bytes, { isLast, out });
    if (count > 0) this.#found ??= bytes;
    const rest = bytes.subarray(heldFrom);
    // A copy: the chunk may be large, and its owner's.
    this.#held = rest.length === 0 ? [] : [Buffer.from(rest)];
    this.#heldBytes = rest.length;
    this.#nextBytes = rest.length > longBeginning ? rest.length + (rest.length >> 3) : 0;
    return out.length === 1 ? (out[0] ?? nothingYet) : Buffer.concat(out);
  }
}

const nothingYet = Buffer.alloc(0);
