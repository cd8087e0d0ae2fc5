import { setImmediate } from 'node:timers/promises';
import { PackRefused, type PackJudge } from './judge.ts';

/** Bytes checked before yielding to other work. */
const pieceBytes = 64 * 1024;

/** Yields a pack's pieces after each was checked. Throws PackRefused. */
export async function* judged(pack: AsyncIterable<Uint8Array>, judge: PackJudge): AsyncGenerator<Uint8Array> {
  for await (const chunk of pack) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes);
      judge.push(piece);
      yield piece;
      await setImmediate();
    }
  }
}

/**
 * Does the same for a pack that follows `before` other bytes. After a refusal it yields nothing more, but reads the input to its
 * end, because only then the client reads the response with the reason.
 */
export async function* judgedAfter(
  before: number,
  body: AsyncIterable<Uint8Array>,
  judge: PackJudge,
): AsyncGenerator<Uint8Array> {
  let ahead = before;
  for await (const chunk of body) {
    if (judge.refused !== undefined) {
      yield new Uint8Array(0);
      continue;
    }
    const head = chunk.subarray(0, ahead);
    ahead -= head.length;
    if (head.length > 0) yield head;
    try {
      yield* judged(one(chunk.subarray(head.length)), judge);
    } catch (error) {
      if (!(error instanceof PackRefused)) throw error;
    }
  }
}

async function* one(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
