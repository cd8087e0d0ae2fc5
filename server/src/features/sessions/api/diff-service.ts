import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError, ProviderError } from '../../../lib/errors.ts';
import type { Diff } from '../../repositories/change-request-schemas.ts';
import { parseDiff } from '../../repositories/diff-json.ts';
import { changesSince, requireCheckpoint } from './changes-since-service.ts';
import { openPatch } from './patch-service.ts';
import { latestCheckpoints } from '../store/run-store.ts';
import { requireSession, type SessionContext } from './service.ts';

type DiffContext = SessionContext & Pick<Context, 'blobs' | 'keyRing'>;
type Checkpoint = Awaited<ReturnType<typeof latestCheckpoints>>[number];

const maxDiffBytes = 64 * 1_048_576;

/** The parts that a diff leaves out. */
interface DiffQuery {
  /** The patches. */
  summary?: boolean;
  /** All files but this one. */
  path?: string;
  /** The work before this checkpoint. */
  from?: string;
}

/** Returns the `ETag` of {@link sessionDiff} without reading the diff. */
export async function sessionDiffTag(ctx: DiffContext, caller: Actor, id: string, query: DiffQuery): Promise<string> {
  const session = await requireSession(ctx, caller.organization.id, id);
  if (query.from !== undefined) await requireCheckpoint(ctx, session.org_id, id, query.from);
  return tagOf(session, await latestCheckpoints(ctx.db.kysely, id), query);
}

type Session = Awaited<ReturnType<typeof requireSession>>;

/** A checkpoint never changes, and without one the diff has only the base commit. */
function tagOf(
  { repositories }: Session,
  checkpoints: readonly Checkpoint[],
  { summary, path, from }: DiffQuery,
): string {
  const bases = repositories.map((repository) => repository.base_commit);
  const ids = checkpoints.map((checkpoint) => checkpoint.id);
  const state = JSON.stringify([bases, ids, summary === true, path ?? null, from ?? null]);
  return `"${hash('sha256', state, 'base64url').slice(0, 22)}"`;
}

/**
 * Returns the changes of a session since its base commits, as stored with its newest checkpoint, or since `from`, and
 * their `ETag`. With several repositories, each path starts with the directory of its repository. The numbers of lines are always those of
 * all files.
 */
export async function sessionDiff(
  ctx: DiffContext,
  caller: Actor,
  id: string,
  query: DiffQuery,
): Promise<{ diff: Diff; tag: string }> {
  const session = await requireSession(ctx, caller.organization.id, id);
  const wanted = ({ files, ...diff }: Diff): Diff => ({
    ...diff,
    files: files
      .filter(({ path, old_path: old }) => query.path === undefined || [path, old].includes(query.path))
      .map((file) => (query.summary === true ? { ...file, patch: '' } : file)),
  });
  const several = session.repositories.length > 1;
  const shown = (repo: string, diff: Diff): Diff =>
    wanted(several ? below(repo.slice(repo.lastIndexOf('/') + 1), diff) : diff);
  const { from } = query;
  const newest =
    from === undefined
      ? await ofNewest(ctx, id, async ({ blob, repo }) => {
          const stored = await ctx.blobs.getBuffer(`${blob}.diff`, { maxBytes: maxDiffBytes });
          return stored === undefined ? undefined : shown(repo, await parseDiff(stored));
        })
      : (await changesSince(ctx, { orgId: session.org_id, sessionId: id, from })).map(({ checkpoint, value }) => {
          return { checkpoint, value: shown(checkpoint.repo, value) };
        });
  const diffs = newest.map(({ value }) => value);
  const base = session.repositories[0]?.base_commit ?? '';
  const diff = {
    base_commit: diffs[0]?.base_commit ?? base,
    head_commit: diffs[0]?.head_commit ?? base,
    additions: diffs.reduce((sum, { additions }) => sum + additions, 0),
    deletions: diffs.reduce((sum, { deletions }) => sum + deletions, 0),
    files: diffs.flatMap(({ files }) => files),
  };
  return {
    diff,
    tag: tagOf(
      session,
      newest.map(({ checkpoint }) => checkpoint),
      query,
    ),
  };
}

/** Streams the same changes as input for `git apply`; several repositories follow one another. */
export async function sessionPatch(ctx: DiffContext, caller: Actor, id: string): Promise<Readable> {
  await requireSession(ctx, caller.organization.id, id);
  const patches = await ofNewest(ctx, id, (checkpoint) => openPatch(ctx, checkpoint));
  return Readable.from(oneAfterTheOther(patches.map(({ value }) => value)), { objectMode: false });
}

/**
 * Reads a part of the newest checkpoint of each repository. Throws ProviderError if it is missing, because it was
 * superseded in the meantime or lost.
 */
async function ofNewest<T>(
  ctx: Pick<Context, 'db'>,
  id: string,
  read: (checkpoint: Checkpoint) => Promise<T | undefined>,
): Promise<{ checkpoint: Checkpoint; value: T }[]> {
  const found = new Map<string, { checkpoint: Checkpoint; value: T }>();
  let seen = new Set<string>();
  for (;;) {
    const checkpoints = await latestCheckpoints(ctx.db.kysely, id);
    const missing = checkpoints.filter(({ repo }) => !found.has(repo));
    if (missing.length === 0) return checkpoints.flatMap(({ repo }) => found.get(repo) ?? []);
    for (const checkpoint of missing) {
      const { repo } = checkpoint;
      if (seen.has(checkpoint.id) && checkpoint.seq === 0)
        throw new AppError(
          'conflict',
          'The fork starts from an earlier checkpoint, whose changes are shown after its first turn. Send it a message.',
        );
      if (seen.has(checkpoint.id))
        throw new ProviderError(
          `The changes of the session in ${repo === '' ? 'its workspace' : repo} are not in the blob store.`,
          { retryable: false },
        );
      const value = await read(checkpoint);
      if (value !== undefined) found.set(repo, { checkpoint, value });
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
