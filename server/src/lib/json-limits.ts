/** Deeper than anything the platform takes, and far from what would exhaust the stack of those who walk it. */
export const maxJsonDepth = 100;

/** More than any request needs, and few enough that something may be wrong with each of them. */
export const maxJsonValues = 10_000;

const quote = 0x22;
const backslash = 0x5c;
/** What JSON says with one byte: it opens a value, closes one, or stands between two. */
const [opens, closes, colon, apart] = [1, 2, 3, 4];
const signs = new Uint8Array(256);
for (const letter of '[{') signs[letter.charCodeAt(0)] = opens;
for (const letter of ']}') signs[letter.charCodeAt(0)] = closes;
for (const letter of ', \t\n\r') signs[letter.charCodeAt(0)] = apart;
signs[':'.charCodeAt(0)] = colon;

/** How much a JSON text may hold. */
export interface JsonLimits {
  values: number;
  depth: number;
}

/**
 * How a JSON text goes beyond these limits, if it does, as words that begin with a verb. It is not parsed for that: what
 * takes a millisecond to send may take a thousand times as long to build.
 */
export function excessOf(json: Buffer, limits: JsonLimits): string | undefined {
  return new JsonGauge(limits).push(json);
}

/** The same for a text that comes in pieces, or for several that follow each other. */
export class JsonGauge {
  readonly #limits: JsonLimits;
  #values = 0;
  #depth = 0;
  #in: 'nothing' | 'scalar' | 'string' | 'escape' = 'nothing';

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** What goes beyond the limits by now. */
  push(json: Buffer): string | undefined {
    for (let at = 0; at < json.length; at += 1) {
      if (this.#in === 'string' || this.#in === 'escape') at = this.#endOfString(json, at);
      else this.#take(json[at] ?? 0);
      if (this.#depth > this.#limits.depth) return `is nested deeper than ${this.#limits.depth} levels`;
      // The newest may turn out to be a name.
      if (this.#values > this.#limits.values + 1) break;
    }
    return this.#values > this.#limits.values ? `holds more than ${this.#limits.values} values` : undefined;
  }

  #take(byte: number): void {
    const sign = signs[byte];
    const isScalar = sign === 0 && byte !== quote;
    if (sign === opens) this.#depth += 1;
    if (sign === closes) this.#depth -= 1;
    if (byte === quote || sign === opens || (isScalar && this.#in !== 'scalar')) this.#values += 1;
    // A name was counted as a value.
    if (sign === colon) this.#values -= 1;
    this.#in = byte === quote ? 'string' : isScalar ? 'scalar' : 'nothing';
  }

  /** The last of the string's bytes that are here. */
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

  /** Where a long string has the next byte that is not just one of it, or how far was looked. */
  #behindPlain(json: Buffer, from: number): number {
    const near = json.subarray(from, from + searched);
    const close = near.indexOf(quote);
    const escape = near.subarray(0, close < 0 ? near.length : close).indexOf(backslash);
    return from + (escape >= 0 ? escape : close >= 0 ? close : near.length);
  }
}

/** Beyond this it is faster to search than to look at each byte. */
const shortString = 64;
/** So far at a time: who puts the end far away, and escapes before it, would have each of them searched for again. */
const searched = 1_024;

/** Whether a value from `JSON.parse` has more than `limit` arrays and objects in one another. */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** What PostgreSQL, or JavaScript, cannot hold of a JSON value: where it stands as a JSON pointer, and a sentence without a subject. */
export function unkeepable(value: unknown, path = ''): { path: string; message: string } | undefined {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? { path, message: 'holds U+0000 or a lone surrogate, which no text may' }
      : undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path, message: 'is a number too large to be kept' };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return { path: `${path}/${key}`, message: 'is not a key that can be used' };
    const found = unkeepable(key, path) ?? unkeepable(item, `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
