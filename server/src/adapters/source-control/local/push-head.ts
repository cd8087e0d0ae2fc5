import { pace } from '../../../lib/pace.ts';
import { createPushReader } from '../../../git/pkt-line.ts';
import type { PushCommands } from '../../../git/pkt-line.ts';

/**
 * Reads a receive-pack request up to the end of its command list. `rest` is the whole body, including what was read; `push` is
 * undefined if the body ended before the list. Throws PktLineError.
 */
export async function readPushHead(
  body: AsyncIterable<Uint8Array>,
): Promise<{ push: PushCommands | undefined; rest: AsyncGenerator<Uint8Array> }> {
  const iterator = body[Symbol.asyncIterator]();
  const reader = createPushReader();
  const held: Uint8Array[] = [];
  let push: PushCommands | undefined;
  while (push === undefined) {
    const next = await iterator.next();
    if (next.done === true) break;
    held.push(next.value);
    // Buffered chunks arrive without yielding to other work.
    await pace();
    push = reader.push(next.value);
  }
  return { push, rest: continueWith(held, iterator) };
}

async function* continueWith(
  held: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* held;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}
