/** Deeper than any value the platform uses, and safe for recursive functions. */
export const maxJsonDepth = 100;

/** More than any request needs, and few enough to report a problem for each. */
export const maxJsonValues = 10_000;

const quote = 0x22;
const backslash = 0x5c;
/** The meanings of JSON's structural bytes: open a value, close one, or separate two. */
const [opens, closes, colon, apart] = [1, 2, 3, 4];
const signs = new Uint8Array(256);
for (const letter of '[{') signs[letter.charCodeAt(0)] = opens;
for (const letter of ']}') signs[letter.charCodeAt(0)] = closes;
for (const letter of ', \t\n\r') signs[letter.charCodeAt(0)] = apart;
signs[':'.charCodeAt(0)] = colon;

/** The limits of a JSON text. */
export interface JsonLimits {
  values: number;
  depth: number;
}

/**
 * Returns how a JSON text exceeds the limits, as a phrase that begins with a verb; undefined if it does not. Does not parse it:
 * what takes a millisecond to send may take a thousand times as long to parse.
 */
export function excessOf(json: Buffer, limits: JsonLimits): string | undefined {
  return new JsonGauge(limits).push(json);
}

/** Checks a text that arrives in pieces, or several texts in a row. */
export class JsonGauge {
  readonly #limits: JsonLimits;
  #values = 0;
  #depth = 0;
  #in: 'nothing' | 'scalar' | 'string' | 'escape' = 'nothing';

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Returns the exceeded limit, if any. */
  push(json: Buffer): string | undefined {
    for (let at = 0; at < json.length; at += 1) {
      if (this.#in === 'string' || this.#in === 'escape') at = this.#endOfString(json, at);
      else this.#take(json[at] ?? 0);
      if (this.#depth > this.#limits.depth) return `is nested deeper than ${this.#limits.depth} levels`;
      // The latest value may turn out to be a key.
      if (this.#values > this.#limits.values + 1) break;
    }
    return this.#values > this.#limits.values ? `contains more than ${this.#limits.values} values` : undefined;
  }

  #take(byte: number): void {
    const sign = signs[byte];
    const isScalar = sign === 0 && byte !== quote;
    if (sign === opens) this.#depth += 1;
    if (sign === closes) this.#depth -= 1;
    if (byte === quote || sign === opens || (isScalar && this.#in !== 'scalar')) this.#values += 1;
    // A key was counted as a value.
    if (sign === colon) this.#values -= 1;
    this.#in = byte === quote ? 'string' : isScalar ? 'scalar' : 'nothing';
  }

  /** Returns the index of the string's last byte in this piece. */
  #endOfString(json: Buffer, from: number): number {
    let at = this.#in === 'escape' ? from + 1 : from;
    this.#in = 'string';
    while (at < json.length) {
      const end = Math.min(json.length, at + shortString);
      let isPlain = true;
      for (; at < end; at += 1) {
        if (json[at] === quote) {
          this.#in = 'nothing';
          return at;
        }
        if (json[at] !== backslash) continue;
        at += 1;
        isPlain = false;
      }
      if (isPlain) at = this.#behindPlain(json, at);
    }
    if (at > json.length) this.#in = 'escape';
    return at;
  }

  /** Returns the index of the next special byte of a long string, or the end of the searched range. */
  #behindPlain(json: Buffer, from: number): number {
    const near = json.subarray(from, from + searched);
    const close = near.indexOf(quote);
    const escape = near.subarray(0, close < 0 ? near.length : close).indexOf(backslash);
    return from + (escape >= 0 ? escape : close >= 0 ? close : near.length);
  }
}

/** Beyond this length a search is faster than a look at each byte. */
const shortString = 64;
/** The range of one search: with a distant end and many escapes, each would otherwise be searched for again. */
const searched = 1_024;

/** Returns true if a value from `JSON.parse` nests more than `limit` arrays and objects. */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/**
 * Returns the first part of a JSON value that PostgreSQL or JavaScript cannot store: its JSON pointer and a phrase without a
 * subject.
 */
export function unkeepable(value: unknown, path = ''): { path: string; message: string } | undefined {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? { path, message: 'contains U+0000 or a lone surrogate, which cannot be stored' }
      : undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path, message: 'is a number too large to be stored' };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return { path: `${path}/${key}`, message: 'is not a supported key' };
    const found = unkeepable(key, path) ?? unkeepable(item, `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
