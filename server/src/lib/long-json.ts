import { randomBytes } from 'node:crypto';
import { excessOf, type JsonLimits } from './json-limits.ts';
import type { MaskStream } from './mask/mask.ts';
import { pace } from './pace.ts';

/** A JSON text is invalid; the message is a phrase that begins with a verb. */
export class UnusableJson extends Error {}

/** Longer strings (escapes included) are set aside. */
const longBytes = 256;
/** The rest is parsed and serialized in one step each. */
const maxOutlineBytes = 4 * 1_048_576;
/** The size of a piece of a long string: small enough for a few milliseconds of work. */
const pieceBytes = 32 * 1_024;

const quote = 0x22;
const backslash = 0x5c;

/**
 * A JSON text of many MiB of which only the outline is parsed. Long strings are set aside as bytes and replaced by
 * placeholders; they are processed and written in pieces, so that they do not block the process.
 */
export class LongJson {
  /** The outline. Callers may change it and read its short strings. */
  readonly value: unknown;
  /** A random mark in every placeholder, so that no input can contain it. */
  readonly #mark: string;
  readonly #texts: readonly Buffer[];

  private constructor(value: unknown, mark: string, texts: readonly Buffer[]) {
    this.value = value;
    this.#mark = mark;
    this.#texts = texts;
  }

  /**
   * Parses a JSON text without decoding long strings. Rejects with {@link UnusableJson} for invalid JSON or beyond the limits.
   */
  static async read(json: Buffer, limits: JsonLimits): Promise<LongJson> {
    const mark = `~${randomBytes(12).toString('base64url')}~`;
    const { outline, texts } = await setAside(json, mark);
    await pace();
    const excess = excessOf(outline, limits);
    if (excess !== undefined) throw new UnusableJson(excess);
    await pace();
    return new LongJson(parse(outline.toString('utf8')), mark, texts);
  }

  /** Returns true for the placeholder of a long string. It begins with `data:` or `data:image/` if the string does. */
  isStandIn(text: string): boolean {
    return text.includes(this.#mark);
  }

  /**
   * Returns the approximate number of characters of a string of the outline, or of a part of it as JSON, including the long
   * strings.
   */
  lengthOf(text: string): number {
    let length = text.length;
    for (const { at } of this.#standIns(text)) length += this.#texts[at]?.length ?? 0;
    return length;
  }

  /**
   * Returns the value with long strings instead of their placeholders, each cut to at most `maxBytes` of its JSON. Rejects with
   * {@link UnusableJson}.
   */
  async filled(maxBytes: number): Promise<unknown> {
    const texts: string[] = [];
    for (const text of this.#texts) {
      await pace();
      texts.push(await beginningIn(text, maxBytes));
    }
    const fill = (value: unknown): unknown => {
      if (typeof value === 'string') {
        const [standIn] = this.#standIns(value);
        return standIn === undefined ? value : (texts[standIn.at] ?? '');
      }
      if (Array.isArray(value)) return value.map(fill);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one)]));
    };
    await pace();
    return fill(this.value);
  }

  /**
   * Runs a filter over each long string, and returns a function that writes the outline, as changed by then, with the results.
   * Rejects with {@link UnusableJson}.
   */
  async filtered(filterOf: () => MaskStream | undefined): Promise<() => Promise<Buffer[]>> {
    const written: Buffer[][] = [];
    for (const text of this.#texts) written.push(await rewritten(text, filterOf()));
    return async () => {
      await pace();
      const outline = JSON.stringify(this.value);
      const parts: Buffer[] = [];
      let some: Buffer[] = [];
      let size = 0;
      let from = 0;
      for (const { at, begin, end } of this.#standIns(outline)) {
        some.push(Buffer.from(outline.slice(from, begin)), ...(written[at] ?? []));
        size += begin - from + (this.#texts[at]?.length ?? 0);
        from = end;
        if (size < pieceBytes) continue;
        parts.push(Buffer.concat(some));
        some = [];
        size = 0;
        await pace();
      }
      return [...parts, ...some, Buffer.from(outline.slice(from))];
    };
  }

  /** Yields the long strings whose placeholders occur in a string, with the placeholders' bounds. */
  *#standIns(text: string): Generator<{ at: number; begin: number; end: number }> {
    for (let found = text.indexOf(this.#mark); found >= 0; found = text.indexOf(this.#mark, found + 1)) {
      const number = /\d+/y;
      number.lastIndex = found + this.#mark.length;
      const at = Number(number.exec(text)?.[0]);
      const beginning = beginnings.find((known) => text.endsWith(known, found)) ?? '';
      yield { at, begin: found - beginning.length, end: number.lastIndex };
    }
  }
}

/** The prefixes that placeholders keep. */
const beginnings = ['data:image/', 'data:', ''] as const;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableJson('is not valid JSON');
  }
}

async function setAside(json: Buffer, mark: string): Promise<{ outline: Buffer; texts: Buffer[] }> {
  const texts: Buffer[] = [];
  const parts: Buffer[] = [];
  let size = 0;
  let copied = 0;
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size > maxOutlineBytes) throw new UnusableJson('contains more than 4 MiB besides its long texts');
    parts.push(part);
  };
  let pausedAt = 0;
  for (let open = json.indexOf(quote); open >= 0; open = json.indexOf(quote, open)) {
    let at = open + 1;
    for (; at < json.length && json[at] !== quote; at += json[at] === backslash ? 2 : 1)
      if (at - pausedAt > pieceBytes) {
        pausedAt = at;
        await pace();
      }
    if (at >= json.length) throw new UnusableJson('is not valid JSON');
    if (at - open > longBytes) {
      const text = json.subarray(open + 1, at);
      keep(json.subarray(copied, open + 1));
      keep(Buffer.from(`${beginningOf(text)}${mark}${texts.length}`));
      texts.push(text);
      copied = at;
    }
    open = at + 1;
  }
  keep(json.subarray(copied));
  return { outline: Buffer.concat(parts), texts };
}

function beginningOf(text: Buffer): string {
  const head = text.toString('latin1', 0, 80);
  // A mark with escaped letters would not be recognized, but no serializer writes one.
  const shown = head.replaceAll('\\/', '/');
  return beginnings.find((known) => shown.startsWith(known)) ?? '';
}

/** Serializes a string's content again: of invalid JSON or Unicode, two parsers may read different values. */
async function rewritten(text: Buffer, filter: MaskStream | undefined): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  const decoder = new TextDecoder('utf8', { ignoreBOM: true });
  const put = (piece: string): void => void parts.push(Buffer.from(JSON.stringify(piece).slice(1, -1)));
  for (let from = 0; from < text.length;) {
    await pace();
    const end = endOfPiece(text, from);
    const piece = parse(`"${text.toString('utf8', from, end)}"`);
    if (typeof piece !== 'string') throw new UnusableJson('is not valid JSON');
    put(filter === undefined ? piece : decoder.decode(filter.push(Buffer.from(piece)), { stream: true }));
    from = end;
  }
  put(filter === undefined ? '' : decoder.decode(filter.end()));
  return parts;
}

async function beginningIn(text: Buffer, maxBytes: number): Promise<string> {
  let beginning = '';
  for (let from = 0; from < text.length;) {
    const end = endOfPiece(text, from);
    if (end > maxBytes && from > 0) break;
    const piece = parse(`"${text.toString('utf8', from, end)}"`);
    if (typeof piece !== 'string') throw new UnusableJson('is not valid JSON');
    beginning += piece;
    from = end;
    await pace();
  }
  return beginning;
}

/** Returns the end of a piece, never within a character or escape. */
function endOfPiece(text: Buffer, from: number): number {
  let at = from;
  while (at < from + pieceBytes && at < text.length) at += lengthAt(text, at);
  // The second half of a surrogate pair.
  if (text[at] === backslash && /^\\u[dD][c-fC-F]/.test(text.toString('latin1', at, at + 4))) at += lengthAt(text, at);
  return Math.min(at, text.length);
}

function lengthAt(text: Buffer, at: number): number {
  const byte = text[at] ?? 0;
  if (byte === backslash) return text[at + 1] === 0x75 ? 6 : 2;
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
