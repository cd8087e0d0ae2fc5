import { setImmediate } from 'node:timers/promises';
import { PackRefused, type PackJudge } from './judge.ts';

/** What is looked at before others have their turn. */
const pieceBytes = 64 * 1024;

/** The bytes of a pack as they come, each piece after it was judged. Throws PackRefused. */
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
 * The same with `before` bytes ahead of the pack. Of one that is refused nothing more comes, but it is read to its end:
 * only then does the client look at the answer that says why.
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
