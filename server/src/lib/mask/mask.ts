import { backslash } from './escapes.ts';
import { PatternIndex } from './value-index.ts';
import { cutOff, escapeCost, missing, Pattern, type Found } from './pattern.ts';
import { prefixesOf } from './places.ts';
import { Search } from './search.ts';
import { pace } from '../pace.ts';

/** Removes secret values from texts and streams, in all common encodings. */
export interface Mask {
  /**
   * Returns the text without the values; the same string when there are none. Replaces invalid Unicode by U+FFFD where a value
   * was found.
   */
  text(text: string): string;
  /** Creates a filter for one stream of bytes. */
  stream(): MaskStream;
  /** Like {@link text}, in pieces, so that long texts do not block the process. */
  longText(text: string): Promise<string>;
  /** Like {@link longText}, for bytes. */
  longBytes(bytes: Buffer): Promise<Buffer>;
}

/** A filter that buffers only a possible beginning of a value. */
export interface MaskStream {
  push(chunk: Buffer): Buffer;
  /** Returns the buffered bytes at the end of the stream. */
  end(): Buffer;
  /**
   * The bytes in which the first values were found, and the end of the first value; undefined until then. They end where the
   * input given until then did.
   */
  readonly found: { readonly bytes: Buffer; readonly end: number } | undefined;
}

/** Shorter values are not masked: they occur in ordinary words, and the gaps would reveal them. */
const minValueBytes = 8;
/** A line of a longer value counts as a value, so that a key printed line by line is masked. */
const minLineLength = 12;
const minTellingLength = 20;
/** The maximum number of such lines, longest first: as many as twenty keys have. */
const maxLines = 1_000;
const replacement = '********';

export interface MaskOptions {
  /** The lines of a multi-line value that count alone: every long one, or only those that are unlikely by chance. */
  lines?: 'long' | 'telling';
}

/**
 * Creates a mask. It finds each value verbatim, in base64 (either alphabet, any alignment, wrapped), hexadecimal,
 * percent-encoding, and escaped as in JSON, HTML or a shell, wholly or in part, also repeatedly.
 */
export function createMask(values: Iterable<string>, { lines = 'long' }: MaskOptions = {}): Mask {
  const parts = [...values].map((value) => partsOf(value, lines));
  const longest = parts.flatMap(([, ...rest]) => rest).sort((a, b) => b.length - a.length);
  const wanted = new Set([...parts.flatMap(([value = '']) => value), ...longest.slice(0, maxLines)]);
  wanted.delete('');
  if (wanted.size === 0) return nothing;
  const index = new PatternIndex([...wanted].flatMap((value) => Pattern.of(value)));
  return {
    text(text) {
      const bytes = Buffer.from(text);
      if (bytes.length < minValueBytes) return text;
      const out: Buffer[] = [];
      const { count } = scan(index, bytes, { isLast: true, out });
      return count === 0 ? text : Buffer.concat(out).toString();
    },
    stream: () => new Filter(index),
    async longText(text) {
      if (text.length <= pieceBytes) return this.text(text);
      return (await this.longBytes(Buffer.from(text))).toString();
    },
    async longBytes(bytes) {
      const filter = new Filter(index);
      const out: Buffer[] = [];
      for await (const piece of piecesOf(bytes)) out.push(filter.push(piece));
      return Buffer.concat([...out, filter.end()]);
    },
  };
}

/** Small enough to be processed in a few milliseconds, even for hostile input. */
const pieceBytes = 32 * 1_024;

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    await pace();
    yield bytes.subarray(from, from + pieceBytes);
  }
}

const nothing: Mask = {
  text: (text) => text,
  stream: () => ({ push: (chunk) => chunk, end: () => nothingYet, found: undefined }),
  longText: async (text) => text,
  longBytes: async (bytes) => bytes,
};

/** Returns the trimmed value and its lines. */
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

/** Matches the header and footer of a key, which reveal nothing of it. */
function isArmor(line: string): boolean {
  return /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(line);
}

function isTelling(line: string): boolean {
  const words = line.match(/[A-Za-z0-9+/=_-]+/g) ?? [];
  return words.some(
    (word) => word.length >= minTellingLength && /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word),
  );
}

interface Scanned {
  /** The number of values found. */
  count: number;
  /** The end of the value that ends first; -1 for none. */
  firstEnd: number;
  /** The start of the undecided rest. */
  heldFrom: number;
  /** The number of bytes of the rest that belong to a value in any case. */
  heldMasked: number;
}

/** The maximum length of overlapping values that are masked as one. */
const longRun = 16 * 1_024;

/**
 * Copies the decided part to `out`. The first `masked` bytes belong to values already. Masks the rest of an input that exceeds
 * its time budget.
 */
function scan(
  index: PatternIndex,
  bytes: Buffer,
  { isLast, out, masked = 0 }: { isLast: boolean; out: Buffer[]; masked?: number },
): Scanned {
  const { length } = bytes;
  const search = new Search(bytes);
  let count = 0;
  let firstEnd = -1;
  let copied = 0;
  // Overlapping values are masked as one.
  let open = masked > 0 ? 0 : -1;
  let close = masked > 0 ? masked : -1;
  const shut = (): void => {
    if (open < 0) return;
    out.push(bytes.subarray(copied, open), replacementOf(bytes, open, close));
    copied = close;
    open = -1;
  };
  let at = 0;
  while (at < length) {
    if (at >= close) shut();
    const limit = open < 0 ? length : close;
    at = nextCandidate(index, bytes, at, limit);
    if (at >= limit) continue;
    const skipped = bytes[at] === backslash ? index.behindBackslashes(bytes, at) : at + 1;
    if (skipped > at + 1 || !index.mayBegin(bytes, at)) {
      at = Math.min(limit, skipped);
      continue;
    }
    const found = longestAt(index, search, at);
    const { end, isCut } = search.isSpent ? { end: length, isCut: false } : found;
    if (isCut && !isLast) break;
    if (end >= 0) {
      count += 1;
      if (firstEnd < 0 || end < firstEnd) firstEnd = end;
      if (open < 0) open = at;
      close = Math.max(close, end);
    }
    at = search.isSpent ? length : at + 1;
  }
  if (at >= close) shut();
  // Values that were masked before this input are not found again.
  let heldMasked = open === 0 ? masked : 0;
  if (open >= 0 && at - open > longRun) {
    heldMasked = close - at;
    close = at;
    shut();
  }
  const heldFrom = open >= 0 ? open : at;
  out.push(bytes.subarray(copied, heldFrom));
  return { count, firstEnd, heldFrom, heldMasked };
}

/** Returns the next position before `limit` at which a pattern may begin, or `limit`. */
function nextCandidate({ pairs, firsts }: PatternIndex, bytes: Buffer, from: number, limit: number): number {
  const last = bytes.length - 1;
  const end = Math.min(limit, last);
  let at = from;
  while (at < end && pairs[((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)] === 0) at += 1;
  if (at === last && at < limit && firsts[bytes[at] ?? 0] === 0) at += 1;
  return at;
}

/** The cost of trying a pattern at a position, besides the compared symbols. */
const tryCost = 3;

function longestAt(index: PatternIndex, search: Search, at: number): Found {
  const { bytes } = search;
  const first = bytes[at] ?? 0;
  if (at === bytes.length - 1) return index.firsts[first] === 1 ? cutOff : missing;
  const found = index.pairs[(first << 8) | (bytes[at + 1] ?? 0)] ?? 0;
  if (found === 1) search.spend(escapeCost);
  const patterns = found === 1 ? index.escaped(bytes, at) : (index.lists[found] ?? []);
  let longest = missing;
  for (const pattern of patterns) {
    search.spend(tryCost);
    if (search.isSpent) break;
    const one = pattern.at(search, at);
    if (one === missing) continue;
    longest = { end: Math.max(longest.end, one.end), isCut: longest.isCut || one.isCut };
  }
  return longest;
}

/**
 * Returns a replacement with the same number of lines and the same line prefixes: listings keep their numbers, and diffs stay
 * valid.
 */
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

/** A longer possible beginning is checked again only after it has grown by a fraction of its length. */
const longBeginning = 1_024;

class Filter implements MaskStream {
  readonly #index: PatternIndex;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #heldMasked = 0;
  #nextBytes = 0;
  #found: MaskStream['found'];

  constructor(index: PatternIndex) {
    this.#index = index;
  }

  get found(): MaskStream['found'] {
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
    const { firstEnd, heldFrom, heldMasked } = scan(this.#index, bytes, { isLast, out, masked: this.#heldMasked });
    this.#heldMasked = heldMasked;
    if (firstEnd >= 0) this.#found ??= { bytes, end: firstEnd };
    const rest = bytes.subarray(heldFrom);
    // A copy: the chunk may be large, and belongs to the caller.
    this.#held = rest.length === 0 ? [] : [Buffer.from(rest)];
    this.#heldBytes = rest.length;
    this.#nextBytes = rest.length > longBeginning ? rest.length + (rest.length >> 3) : 0;
    return out.length === 1 ? (out[0] ?? nothingYet) : Buffer.concat(out);
  }
}

const nothingYet = Buffer.alloc(0);
