import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../../app/context.ts';
import { initBare, resolveRef } from '../../../git/bare.ts';
import { unpackLine } from '../../../git/line.ts';
import { AppError } from '../../../lib/errors.ts';
import { createTurns } from '../../../lib/turns.ts';
import type { latestCheckpoints } from '../store/run-store.ts';
import { fetchPart, maxPartBytes, partsOf, sealedPart, type Part } from './checkpoint-parts.ts';

type CopyContext = Pick<Context, 'db' | 'keyRing' | 'blobs'>;
type Newest = Awaited<ReturnType<typeof latestCheckpoints>>[number];

/** A checkpoint to copy: one of those that the parts of the newest one contain. */
export interface CopiedCheckpoint {
  readonly newest: Newest;
  readonly commit: string;
  /** The key prefix of the copy. */
  readonly blob: string;
}

/** Limits copies: git unpacks content that a session made. */
const copying = createTurns('forks', { each: 2, total: 4, waiting: 16, maxWaitMs: 60_000 });

/**
 * Copies a checkpoint's bundles under new keys and returns them, oldest first; undefined if one of them is missing,
 * because a newer checkpoint superseded it in the meantime. With the newest checkpoint its diff, its patch and the
 * agent's state are copied too. Throws 409 `conflict` if the bundles no longer contain the commit.
 */
export async function copyCheckpoint(
  ctx: CopyContext,
  orgId: string,
  copied: CopiedCheckpoint,
): Promise<Part[] | undefined> {
  const { parts: stored, size_bytes: sizeBytes } = copied.newest;
  if (stored === null && sizeBytes > 0)
    throw new AppError('conflict', 'An earlier version stored the checkpoint. Send the session a message first.');
  return copying.run(orgId, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'guildhall-fork-'));
    try {
      const parts = await copyParts(ctx, orgId, copied, directory);
      if (parts === undefined || copied.commit !== copied.newest.commit) return parts;
      return (await copyBeside(ctx, orgId, copied, directory)) ? parts : undefined;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

async function copyParts(
  ctx: CopyContext,
  orgId: string,
  { newest, commit, blob }: CopiedCheckpoint,
  directory: string,
): Promise<Part[] | undefined> {
  const isNewest = commit === newest.commit;
  const repository = join(directory, 'line.git');
  if (!isNewest) await initBare(repository, { defaultBranch: 'main' });
  const copies: Part[] = [];
  for (const [index, part] of partsOf(newest).entries()) {
    const file = join(directory, 'part.bundle');
    if (!(await fetchPart(ctx, orgId, { blob: part.blob, maxBytes: maxPartBytes, file }))) return undefined;
    if (!isNewest) await unpackLine(repository, file);
    const key = `${blob}p${index}`;
    await ctx.blobs.put(key, sealedPart(ctx, orgId, key, createReadStream(file)));
    copies.push({ ...part, blob: key });
  }
  if (!isNewest && (await resolveRef(repository, commit)) === undefined)
    throw new AppError(
      'conflict',
      'The files of that checkpoint are no longer kept, because later work replaced much of it. Fork from a later event.',
    );
  return copies;
}

/** Copies the blobs beside a checkpoint; false if its diff is missing. */
async function copyBeside(
  ctx: CopyContext,
  orgId: string,
  { newest, blob }: CopiedCheckpoint,
  directory: string,
): Promise<boolean> {
  for (const kind of ['diff', 'patch']) {
    const content = await ctx.blobs.get(`${newest.blob}.${kind}`);
    if (content === undefined) return false;
    await ctx.blobs.put(`${blob}.${kind}`, content);
  }
  const file = join(directory, 'state');
  const state = { blob: `${newest.blob}.state`, maxBytes: maxPartBytes, file };
  if (await fetchPart(ctx, orgId, state))
    await ctx.blobs.put(`${blob}.state`, sealedPart(ctx, orgId, `${blob}.state`, createReadStream(file)));
  return true;
}
