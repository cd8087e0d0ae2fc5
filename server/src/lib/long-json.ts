import { randomBytes } from 'node:crypto';
import { excessOf, type JsonLimits } from './json-limits.ts';
import type { MaskStream } from './mask/mask.ts';
import { pace } from './pace.ts';

/** What is wrong with a JSON text, as words that begin with a verb. */
export class UnusableJson extends Error {}

/** A longer string, escapes included, is set aside. */
const longBytes = 256;
/** What is left is parsed and written in one turn each. */
const maxOutlineBytes = 4 * 1_048_576;
/** So little of a long string at a time that a few milliseconds suffice, whatever is done with it. */
const pieceBytes = 32 * 1_024;

const quote = 0x22;
const backslash = 0x5c;

/**
 * A JSON text of many MiB, of which only the outline is parsed: each long string in it is set aside as bytes, and a short
 * one stands in for it. Strings are gone through and written in pieces, between which everybody else has a turn.
 */
export class LongJson {
  /** The outline; whoever has it may change it, and may look at short strings as they are. */
  readonly value: unknown;
  /** In every stand-in, and in nothing that anybody could send. */
  readonly #mark: string;
  readonly #texts: readonly Buffer[];

  private constructor(value: unknown, mark: string, texts: readonly Buffer[]) {
    this.value = value;
    this.#mark = mark;
    this.#texts = texts;
  }

  /** Rejects with {@link UnusableJson} for what is no JSON, or beyond the limits; long strings are not looked into yet. */
  static async read(json: Buffer, limits: JsonLimits): Promise<LongJson> {
    const mark = `~${randomBytes(12).toString('base64url')}~`;
    const { outline, texts } = await setAside(json, mark);
    await pace();
    const excess = excessOf(outline, limits);
    if (excess !== undefined) throw new UnusableJson(excess);
    await pace();
    return new LongJson(parse(outline.toString('utf8')), mark, texts);
  }

  /** Whether a string of the outline stands in for a long one. It begins with `data:` or `data:image/` as that one does. */
  isStandIn(text: string): boolean {
    return text.includes(this.#mark);
  }

  /** How long a string of the outline, or the JSON of a part of it, is with what was set aside: about the number of its characters. */
  lengthOf(text: string): number {
    let length = text.length;
    for (const { at } of this.#standIns(text)) length += this.#texts[at]?.length ?? 0;
    return length;
  }

  /**
   * Goes through all that was set aside, each string with a filter of its own, and gives a way to write the outline as it is by
   * then with the rest in its places. Rejects with {@link UnusableJson}.
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

  /** The texts whose stand-ins are somewhere in a string, and where those begin and end. */
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

/** What long strings are told apart by. */
const beginnings = ['data:image/', 'data:', ''] as const;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableJson('is no JSON');
  }
}

async function setAside(json: Buffer, mark: string): Promise<{ outline: Buffer; texts: Buffer[] }> {
  const texts: Buffer[] = [];
  const parts: Buffer[] = [];
  let size = 0;
  let copied = 0;
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size > maxOutlineBytes) throw new UnusableJson('holds more than 4 MiB beside its long texts');
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
    if (at >= json.length) throw new UnusableJson('is no JSON');
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
  // Only whoever escapes the letters themselves would not be recognized, and nobody has a reason to.
  const shown = head.replaceAll('\\/', '/');
  return beginnings.find((known) => shown.startsWith(known)) ?? '';
}

/** A string's content as JSON has it, written anew: of what is not quite JSON, or no Unicode, two readers may see two things. */
async function rewritten(text: Buffer, filter: MaskStream | undefined): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  const decoder = new TextDecoder('utf8', { ignoreBOM: true });
  const put = (piece: string): void => void parts.push(Buffer.from(JSON.stringify(piece).slice(1, -1)));
  for (let from = 0; from < text.length;) {
    await pace();
    const end = endOfPiece(text, from);
    const piece = parse(`"${text.toString('utf8', from, end)}"`);
    if (typeof piece !== 'string') throw new UnusableJson('is no JSON');
    put(filter === undefined ? piece : decoder.decode(filter.push(Buffer.from(piece)), { stream: true }));
    from = end;
  }
  put(filter === undefined ? '' : decoder.decode(filter.end()));
  return parts;
}

/** Where a piece may end: not within a character, however it is written. */
function endOfPiece(text: Buffer, from: number): number {
  let at = from;
  while (at < from + pieceBytes && at < text.length) at += lengthAt(text, at);
  // The second half of a pair.
  if (text[at] === backslash && /^\\u[dD][c-fC-F]/.test(text.toString('latin1', at, at + 4))) at += lengthAt(text, at);
  return Math.min(at, text.length);
}

function lengthAt(text: Buffer, at: number): number {
  const byte = text[at] ?? 0;
  if (byte === backslash) return text[at + 1] === 0x75 ? 6 : 2;
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
