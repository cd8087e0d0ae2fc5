import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { initBare } from '../../../git/bare.ts';
import { unpackLine } from '../../../git/line.ts';
import { withBinaries } from '../../../git/patch-binaries.ts';
import type { Context } from '../../../app/context.ts';
import { createTurns } from '../../../lib/turns.ts';
import { fetchPart, maxPartBytes, partsOf } from '../run/checkpoint-parts.ts';

type PatchContext = Pick<Context, 'db' | 'keyRing' | 'blobs'>;

interface Checkpoint {
  org_id: string;
  commit: string;
  blob: string;
  size_bytes: number;
  parts: unknown;
  binaries: boolean;
}

/** Limits patches and comparisons: git unpacks content that a session made. */
export const unpacking = createTurns('patches', { each: 2, total: 4, waiting: 16, maxWaitMs: 60_000 });

/**
 * Opens a checkpoint's patch against its base; undefined if one of its blobs is missing. Text is as the worker stored
 * it, masked. Binary content is read from the checkpoint's bundles into a file before anything is sent, so that an
 * error is detected in time. Destroy the stream if it is not read.
 */
export async function openPatch(ctx: PatchContext, checkpoint: Checkpoint): Promise<Readable | undefined> {
  const patch = await ctx.blobs.get(`${checkpoint.blob}.patch`);
  if (patch === undefined || !checkpoint.binaries) return patch;
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-patch-'));
  const remove = async (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const file = await unpacking.run(checkpoint.org_id, () => writeWhole(ctx, checkpoint, patch, directory));
    if (file === undefined) {
      await remove();
      return undefined;
    }
    const whole = createReadStream(file);
    whole.once('close', () => void remove());
    return whole;
  } catch (error) {
    await remove();
    throw error;
  } finally {
    patch.destroy();
  }
}

async function writeWhole(
  ctx: PatchContext,
  checkpoint: Checkpoint,
  patch: Readable,
  directory: string,
): Promise<string | undefined> {
  const repository = await unpackParts(ctx, checkpoint, directory);
  if (repository === undefined) return undefined;
  const file = join(directory, 'whole.patch');
  const whole = withBinaries(patch, repository);
  await pipeline(Readable.from(whole, { objectMode: false }), createWriteStream(file, { mode: 0o600 }));
  return file;
}

/** Unpacks a checkpoint's bundles into a repository in the directory, and returns its path; undefined if one is missing. */
export async function unpackParts(
  ctx: PatchContext,
  checkpoint: Omit<Checkpoint, 'binaries'>,
  directory: string,
): Promise<string | undefined> {
  const repository = join(directory, 'line.git');
  await initBare(repository, { defaultBranch: 'main' });
  const bundle = join(directory, 'part.bundle');
  for (const { blob } of partsOf(checkpoint)) {
    if (!(await fetchPart(ctx, checkpoint.org_id, { blob, maxBytes: maxPartBytes, file: bundle }))) return undefined;
    await unpackLine(repository, bundle);
  }
  return repository;
}
