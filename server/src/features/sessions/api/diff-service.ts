import { Readable } from 'node:stream';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { Diff } from '../../repositories/change-request-schemas.ts';
import { parseDiff } from '../../repositories/diff-json.ts';
import { openPatch } from './patch-service.ts';
import { latestCheckpoints } from '../store/run-store.ts';
import { requireSession, type SessionContext } from './service.ts';

type DiffContext = SessionContext & Pick<Context, 'blobs'>;
type Checkpoint = Awaited<ReturnType<typeof latestCheckpoints>>[number];

const maxDiffBytes = 64 * 1_048_576;

/**
 * Returns the changes of a session since its base commits, as stored with its newest checkpoint. With several
 * repositories, each path starts with the directory of its repository.
 */
export async function sessionDiff(ctx: DiffContext, caller: Actor, id: string): Promise<Diff> {
  const session = await requireSession(ctx, caller.organization.id, id);
  const several = session.repositories.length > 1;
  const diffs = await ofNewest(ctx, id, async ({ blob, repo }) => {
    const stored = await ctx.blobs.getBuffer(`${blob}.diff`, { maxBytes: maxDiffBytes });
    if (stored === undefined) return undefined;
    const diff = await parseDiff(stored);
    return several ? below(repo.slice(repo.lastIndexOf('/') + 1), diff) : diff;
  });
  const base = session.repositories[0]?.base_commit ?? '';
  return {
    base_commit: diffs[0]?.base_commit ?? base,
    head_commit: diffs[0]?.head_commit ?? base,
    additions: diffs.reduce((sum, diff) => sum + diff.additions, 0),
    deletions: diffs.reduce((sum, diff) => sum + diff.deletions, 0),
    files: diffs.flatMap((diff) => diff.files),
  };
}

/** Streams the same changes as input for `git apply`; several repositories follow one another. */
export async function sessionPatch(
  ctx: DiffContext & Pick<Context, 'keyRing'>,
  caller: Actor,
  id: string,
): Promise<Readable> {
  await requireSession(ctx, caller.organization.id, id);
  const patches = await ofNewest(ctx, id, (checkpoint) => openPatch(ctx, checkpoint));
  return Readable.from(oneAfterTheOther(patches), { objectMode: false });
}

/**
 * Reads a part of the newest checkpoint of each repository. Throws ProviderError if it is missing, because it was
 * superseded in the meantime or lost.
 */
async function ofNewest<T>(
  ctx: Pick<Context, 'db'>,
  id: string,
  read: (checkpoint: Checkpoint) => Promise<T | undefined>,
): Promise<T[]> {
  const found = new Map<string, T>();
  let seen = new Set<string>();
  for (;;) {
    const checkpoints = await latestCheckpoints(ctx.db.kysely, id);
    const missing = checkpoints.filter(({ repo }) => !found.has(repo));
    if (missing.length === 0) return checkpoints.flatMap(({ repo }) => found.get(repo) ?? []);
    for (const checkpoint of missing) {
      const { repo } = checkpoint;
      if (seen.has(checkpoint.id))
        throw new ProviderError(
          `The changes of the session in ${repo === '' ? 'its workspace' : repo} are not in the blob store.`,
          { retryable: false },
        );
      const value = await read(checkpoint);
      if (value !== undefined) found.set(repo, value);
    }
    seen = new Set(checkpoints.map((checkpoint) => checkpoint.id));
  }
}

async function* oneAfterTheOther(patches: readonly Readable[]): AsyncGenerator<Buffer> {
  try {
    for (const patch of patches) yield* patch;
  } finally {
    for (const patch of patches) patch.destroy();
  }
}

function below(directory: string, diff: Diff): Diff {
  const files = diff.files.map((file) => ({
    ...file,
    path: `${directory}/${file.path}`,
    old_path: file.old_path === '' ? '' : `${directory}/${file.old_path}`,
  }));
  return { ...diff, files };
}
