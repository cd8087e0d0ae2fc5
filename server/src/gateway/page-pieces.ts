import { Transform, type TransformCallback } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/** Larger than any page of a real registry; npm itself reads none of more than half of it. */
const maxPageBytes = 256 * 1024 * 1024;
/** So little that looking into it takes a few milliseconds, however many links it holds. */
const pieceBytes = 2 * 1024;
/** For how long pieces are looked into, of all pages together, before everybody else has a turn. */
const sliceMs = 10;

/** Resolves when a next piece may be looked into; the work has to follow at once. */
export type Pace = () => Promise<void>;

export function createPace(): Pace {
  let sinceMs = -Infinity;
  let last = Promise.resolve();
  const turn = async (): Promise<void> => {
    if (performance.now() - sinceMs < sliceMs) return;
    await setImmediate();
    sinceMs = performance.now();
  };
  return () => (last = last.then(turn));
}

/** Changes a text that comes in pieces, holding back only what may be the beginning of something. */
export interface Rewriter {
  push(piece: Buffer): Buffer;
  /** What was held back, when nothing more comes. */
  end(): Buffer;
}

/** Rewrites a page in pieces, at a pace, and ends one that is too long with an error. */
export class PageTransform extends Transform {
  readonly #pace: Pace;
  readonly #rewriter: Rewriter;
  #left = maxPageBytes;

  constructor(pace: Pace, rewriter: Rewriter) {
    super();
    this.#pace = pace;
    this.#rewriter = rewriter;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length;
    if (this.#left < 0) done(new Error('a page is too long'));
    else void this.#cut(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#rewriter.end());
  }

  async #cut(chunk: Buffer, done: TransformCallback): Promise<void> {
    for (let from = 0; from < chunk.length && !this.destroyed; from += pieceBytes) {
      await this.#pace();
      if (!this.destroyed) this.push(this.#rewriter.push(chunk.subarray(from, from + pieceBytes)));
    }
    done();
  }
}
