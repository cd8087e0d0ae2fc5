import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../../app/context.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { openInto, sealing } from '../../secrets/envelope.ts';

/** One bundle of the chain that holds a session's line of checkpoints. */
export const Part = Type.Object({
  /** Where it lies in the blob store, sealed. */
  blob: Type.String(),
  /** The tip of the line that it leads to; the next part needs it. */
  commit: Type.String(),
  /** Before it was sealed. */
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

/** What a checkpoint is restored from, oldest first; nothing for one that is the base, or was superseded. */
export function partsOf({ commit, blob, size_bytes, parts }: CheckpointRow): Part[] {
  if (parts !== null) return Value.Parse(Parts, parts);
  return size_bytes === 0 ? [] : [{ blob, commit, size_bytes }];
}

/** Every blob that a checkpoint needs while it is the newest of its repository. */
export function blobsOf(row: CheckpointRow): string[] {
  return [...besideIt(row.blob), ...partsOf(row).map(({ blob }) => blob)];
}

/** What is kept of the newest checkpoint alone: what people see of it, and what the agent remembers. */
export function besideIt(blob: string): string[] {
  return ['diff', 'patch', 'state'].map((kind) => `${blob}.${kind}`);
}

/** Of a bundle, sealed: parts that became one may be larger than any that left a sandbox. */
export const maxPartBytes = 4 * 1024 ** 3;

type PartContext = Pick<Context, 'db' | 'keyRing' | 'blobs'>;

/** Seals a bundle as it streams. */
export function sealedPart(ctx: PartContext, orgId: string, blob: string, bundle: Readable): Readable {
  return Readable.from(sealing(ctx, orgId, purposeOf(blob), bundle), { objectMode: false });
}

/**
 * Brings a bundle into a file; false when it is not in the store. Throws `SealBroken`, and a ProviderError for more than
 * `maxBytes`; then nothing in the file may be used.
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
  // Versions before did not seal: a bundle begins with `#`, which nothing sealed does.
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
