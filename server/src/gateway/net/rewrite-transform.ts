import { Transform, type TransformCallback } from 'node:stream';
import { pace } from '../../lib/pace.ts';

/** So little that looking into it takes a few milliseconds, however many links it holds. */
const pieceBytes = 2 * 1024;

/** Changes a text that comes in pieces, holding back only what may be the beginning of something. */
export interface Rewriter {
  push(piece: Buffer): Buffer;
  /** What was held back, when nothing more comes. */
  end(): Buffer;
}

/** Rewrites what passes in pieces, at the pace of all that is long, and ends what is too long with an error. */
export class RewriteTransform extends Transform {
  readonly #rewriter: Rewriter;
  readonly #pieceBytes: number;
  #left: number;

  constructor(rewriter: Rewriter, limits: { maxBytes?: number; pieceBytes?: number } = {}) {
    super();
    this.#rewriter = rewriter;
    this.#left = limits.maxBytes ?? Number.POSITIVE_INFINITY;
    this.#pieceBytes = limits.pieceBytes ?? pieceBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length;
    if (this.#left < 0) done(new Error('it is too long'));
    else void this.#cut(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#rewriter.end());
  }

  async #cut(chunk: Buffer, done: TransformCallback): Promise<void> {
    for (let from = 0; from < chunk.length && !this.destroyed; from += this.#pieceBytes) {
      await pace();
      if (!this.destroyed) this.push(this.#rewriter.push(chunk.subarray(from, from + this.#pieceBytes)));
    }
    done();
  }
}
