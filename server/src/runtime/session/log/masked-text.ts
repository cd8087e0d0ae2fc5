import { StringDecoder } from 'node:string_decoder';
import type { Mask, MaskStream } from '../../../lib/mask/mask.ts';

/** A text that comes in pieces, masked across them. */
export class MaskedText {
  readonly #stream: MaskStream;
  readonly #decoder = new StringDecoder('utf8');
  /** The first half of a pair that a piece ended with. */
  #half = '';

  constructor(mask: Mask) {
    this.#stream = mask.stream();
  }

  /** Answers what can be shown by now. */
  push(piece: string): string {
    const text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    this.#half = isCut ? text.slice(-1) : '';
    return this.#decoder.write(this.#stream.push(Buffer.from(isCut ? text.slice(0, -1) : text)));
  }

  /** Answers the rest. */
  end(): string {
    const rest = this.#decoder.write(this.#stream.push(Buffer.from(this.#half)));
    this.#half = '';
    return rest + this.#decoder.write(this.#stream.end()) + this.#decoder.end();
  }
}
