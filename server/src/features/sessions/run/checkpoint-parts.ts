import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../../app/context.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { openInto, sealing } from '../../secrets/envelope.ts';

/** One bundle of the chain that contains a session's checkpoint commits. */
export const Part = Type.Object({
  /** Its key in the blob store; the blob is sealed. */
  blob: Type.String(),
  /** The last commit of the bundle; the next part requires it. */
  commit: Type.String(),
  /** Its size before it was sealed. */
  size_bytes: Type.Integer(),
});
export type Part = Static<typeof Part>;
const Parts = Type.Array(Part);

interface CheckpointRow {
  commit: string;
  blob: string;
  size_bytes: number;
  parts: unknown;
}

/** Returns the parts that a checkpoint is restored from, oldest first; none if it equals the base or was superseded. */
export function partsOf({ commit, blob, size_bytes, parts }: CheckpointRow): Part[] {
  if (parts !== null) return Value.Parse(Parts, parts);
  return size_bytes === 0 ? [] : [{ blob, commit, size_bytes }];
}

/** Returns every blob that a checkpoint needs while it is the newest of its repository. */
export function blobsOf(row: CheckpointRow): string[] {
  return [...besideIt(row.blob), ...partsOf(row).map(({ blob }) => blob)];
}

/** Returns the blobs that are kept only for the newest checkpoint: its diff and patch, and the agent's state. */
export function besideIt(blob: string): string[] {
  return ['diff', 'patch', 'state'].map((kind) => `${blob}.${kind}`);
}

/** The maximum size of a sealed bundle; combined parts may exceed the limit of a bundle from a sandbox. */
export const maxPartBytes = 4 * 1024 ** 3;

type PartContext = Pick<Context, 'db' | 'keyRing' | 'blobs'>;

/** Seals a bundle as it streams. */
export function sealedPart(ctx: PartContext, orgId: string, blob: string, bundle: Readable): Readable {
  return Readable.from(sealing(ctx, orgId, purposeOf(blob), bundle), { objectMode: false });
}

/**
 * Downloads a bundle into a file; false if it is not in the store. Throws `SealBroken`, and ProviderError beyond
 * `maxBytes`; the file must not be used then.
 */
export async function fetchPart(
  ctx: PartContext,
  orgId: string,
  { blob, maxBytes, file }: { blob: string; maxBytes: number; file: string },
): Promise<boolean> {
  const kept = await ctx.blobs.get(blob);
  if (kept === undefined) return false;
  const source = limited(kept, blob, maxBytes)[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) throw new ProviderError(`The blob ${blob} is empty.`, { retryable: false });
  const all = rejoined(first.value, source);
  // Earlier versions did not seal bundles: a bundle begins with `#`, a sealed blob never does.
  if (first.value[0] === 0x23) await pipeline(Readable.from(all, { objectMode: false }), createWriteStream(file));
  else await openInto(ctx, orgId, purposeOf(blob), all, file);
  return true;
}

export function purposeOf(blob: string): string {
  return `checkpoint ${blob}`;
}

async function* limited(source: Readable, blob: string, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of source) {
    const chunk = Buffer.from(piece);
    size += chunk.length;
    if (size > maxBytes)
      throw new ProviderError(`The blob ${blob} is larger than ${maxBytes} bytes.`, { retryable: false });
    yield chunk;
  }
}

async function* rejoined(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}
