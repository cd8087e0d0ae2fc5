import type { Rewriter } from '../net/rewrite-transform.ts';

/** Longer strings are not rewritten; also the maximum number of buffered bytes. */
const maxHeldBytes = 8192;

const quote = 0x22;
const backslash = 0x5c;

/** The role of the current string: irrelevant, a key that may be on the path, or the link. */
type Reading = 'nothing' | 'passed' | 'key' | 'link';

/**
 * Rewrites the strings of a JSON text of any size at one path, e.g. `['versions', '*', 'dist', 'tarball']`, where `*` matches
 * any key or index. Keeps all other bytes. In invalid JSON the path may match elsewhere, so the result of `rewrite` must be
 * safe anywhere.
 */
export class JsonLinkRewriter implements Rewriter {
  readonly #place: readonly string[];
  /** The path's parts as they are usually written. */
  readonly #written: readonly Buffer[];
  readonly #rewrite: (link: string) => string;
  /** The current key of each open container, outermost first, to the depth of the path. */
  readonly #keys: string[] = [];
  readonly #isArray: boolean[] = [];
  #depth = 0;
  #expectsKey = false;
  #reading: Reading = 'nothing';
  #isEscaped = false;
  /** True if the current string has an escape. */
  #hasEscape = false;
  #held: Buffer = Buffer.alloc(0);

  constructor(place: readonly string[], rewrite: (link: string) => string) {
    this.#place = place;
    this.#written = place.map((part) => Buffer.from(JSON.stringify(part)));
    this.#rewrite = rewrite;
  }

  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const out: Buffer[] = [];
    let passed = 0;
    let begin = 0;
    for (let at = this.#held.length; at < bytes.length; at += 1) {
      if (this.#reading === 'nothing') {
        if (this.#structure(bytes[at] ?? 0)) begin = at;
        continue;
      }
      at = this.#endOfString(bytes, at);
      if (this.#reading !== 'passed' && at - begin > maxHeldBytes) this.#reading = 'passed';
      if (at === bytes.length) break;
      if (this.#reading === 'key') this.#key(bytes, begin, at + 1);
      const link = this.#reading === 'link' ? this.#link(bytes.subarray(begin, at + 1)) : undefined;
      if (link !== undefined) {
        out.push(bytes.subarray(passed, begin), link);
        passed = at + 1;
      }
      this.#reading = 'nothing';
    }
    const end = this.#reading === 'key' || this.#reading === 'link' ? begin : bytes.length;
    this.#held = Buffer.from(bytes.subarray(end));
    return Buffer.concat([...out, bytes.subarray(passed, end)]);
  }

  end(): Buffer {
    return this.#held;
  }

  /** Returns the end of the current string: the index of its quote, or the end of the bytes. */
  #endOfString(bytes: Buffer, from: number): number {
    const { length } = bytes;
    let isEscaped = this.#isEscaped;
    let at = from;
    for (; at < length; at += 1) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (byte === quote) break;
      else if (byte === backslash) {
        isEscaped = true;
        this.#hasEscape = true;
      }
    }
    this.#isEscaped = isEscaped;
    return at;
  }

  /** Processes a byte outside of strings; returns true if a string begins. */
  #structure(byte: number): boolean {
    switch (byte) {
      case 0x7b: // {
      case 0x5b: // [
        this.#depth += 1;
        if (this.#isNear()) {
          this.#isArray[this.#depth - 1] = byte === 0x5b;
          this.#keys[this.#depth - 1] = '';
          this.#expectsKey = byte === 0x7b;
        }
        return false;
      case 0x7d: // }
      case 0x5d: // ]
        this.#depth = Math.max(0, this.#depth - 1);
        return false;
      case 0x2c: // ,
        if (this.#isNear()) this.#expectsKey = this.#isArray[this.#depth - 1] === false;
        return false;
      case 0x3a: // :
        this.#expectsKey = false;
        return false;
      case quote:
        this.#reading = this.#begun();
        this.#hasEscape = false;
        return true;
      default:
        return false;
    }
  }

  #isNear(): boolean {
    return this.#depth > 0 && this.#depth <= this.#place.length;
  }

  #begun(): Reading {
    if (!this.#isNear()) return 'passed';
    if (this.#expectsKey) {
      this.#keys[this.#depth - 1] = '';
      return this.#place[this.#depth - 1] === '*' ? 'passed' : 'key';
    }
    const isThere =
      this.#depth === this.#place.length &&
      this.#place.every((part, level) => part === '*' || part === this.#keys[level]);
    return isThere ? 'link' : 'passed';
  }

  /** Processes a key; almost none of them needs to be parsed. */
  #key(bytes: Buffer, begin: number, end: number): void {
    const level = this.#depth - 1;
    const written = this.#written[level];
    const isWritten = written?.length === end - begin && written.compare(bytes, begin, end) === 0;
    if (isWritten) this.#keys[level] = this.#place[level] ?? '';
    else this.#keys[level] = this.#hasEscape ? (parse(bytes.subarray(begin, end)) ?? '') : '';
  }

  /** Returns the replacement of a complete link, if any. */
  #link(bytes: Buffer): Buffer | undefined {
    const link = parse(bytes);
    const changed = link === undefined ? undefined : this.#rewrite(link);
    return changed === undefined || changed === link ? undefined : Buffer.from(JSON.stringify(changed));
  }
}

function parse(bytes: Buffer): string | undefined {
  try {
    const word: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof word === 'string' ? word : undefined;
  } catch {
    return undefined;
  }
}
