import { StringDecoder } from 'node:string_decoder';
import type { Mask, MaskStream } from '../../../lib/mask/mask.ts';

/** Masks a text that arrives in pieces, across their boundaries. */
export class MaskedText {
  readonly #stream: MaskStream;
  readonly #decoder = new StringDecoder('utf8');
  /** A high surrogate at the end of a piece. */
  #half = '';

  constructor(mask: Mask) {
    this.#stream = mask.stream();
  }

  /** Returns the text that can be shown so far. */
  push(piece: string): string {
    const text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    this.#half = isCut ? text.slice(-1) : '';
    return this.#decoder.write(this.#stream.push(Buffer.from(isCut ? text.slice(0, -1) : text)));
  }

  /** Returns the rest. */
  end(): string {
    const rest = this.#decoder.write(this.#stream.push(Buffer.from(this.#half)));
    this.#half = '';
    return rest + this.#decoder.write(this.#stream.end()) + this.#decoder.end();
  }
}
