import { Transform, type TransformCallback } from 'node:stream';
import { pace } from '../../lib/pace.ts';

/** Small enough to be processed in a few milliseconds, however many links it contains. */
const pieceBytes = 2 * 1024;

/** Rewritten bytes are passed on together, at the latest when there are this many. */
const passedBytes = 64 * 1024;

/** Rewrites a text that arrives in pieces and buffers only a possible beginning of a match. */
export interface Rewriter {
  push(piece: Buffer): Buffer;
  /** Returns the buffered bytes at the end of the stream. */
  end(): Buffer;
}

/** Rewrites a stream in pieces, yielding between them, and fails if it is too long. */
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
    if (this.#left < 0) done(new Error('The response is too long.'));
    else void this.#cut(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#rewriter.end());
  }

  async #cut(chunk: Buffer, done: TransformCallback): Promise<void> {
    let rewritten: Buffer[] = [];
    let size = 0;
    const pass = (): void => {
      // Each push becomes a write to the client.
      if (size > 0 && !this.destroyed) this.push(Buffer.concat(rewritten, size));
      rewritten = [];
      size = 0;
    };
    for (let from = 0; from < chunk.length && !this.destroyed; from += this.#pieceBytes) {
      await pace();
      const piece = this.#rewriter.push(chunk.subarray(from, from + this.#pieceBytes));
      rewritten.push(piece);
      size += piece.length;
      if (size >= passedBytes) pass();
    }
    pass();
    done();
  }
}
