import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../../app/context.ts';
import { diffBetween } from '../../../git/diff.ts';
import { statesOf } from '../../../git/line-tree.ts';
import { AppError, notFound, ProviderError } from '../../../lib/errors.ts';
import type { Diff } from '../../repositories/change-request-schemas.ts';
import { partsOf } from '../run/checkpoint-parts.ts';
import { checkpointsAt, checkpointsQuery } from '../store/checkpoint-store.ts';
import { latestCheckpoints } from '../store/run-store.ts';
import { unpackParts, unpacking } from './patch-service.ts';

type SinceContext = Pick<Context, 'db' | 'keyRing' | 'blobs'>;
type Checkpoint = Awaited<ReturnType<typeof latestCheckpoints>>[number];

/** The changes of one repository since a checkpoint, and its newest checkpoint. */
interface Since {
  checkpoint: Checkpoint;
  value: Diff;
}

const maxTries = 5;

/** Throws 404 `checkpoint_not_found` unless the session has the checkpoint. */
export async function requireCheckpoint({ db }: Pick<Context, 'db'>, orgId: string, sessionId: string, id: string) {
  const row = await checkpointsQuery(db.kysely, orgId, sessionId)
    .select(['repo', 'commit', 'base_commit', 'seq'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound('checkpoint', id);
  return row;
}

/**
 * Compares the newest checkpoint of each repository with what it was at a checkpoint. The worker stored both states
 * masked. Throws 404 `checkpoint_not_found`, and 409 `conflict` if the files of the checkpoint are no longer kept.
 */
export async function changesSince(
  ctx: SinceContext,
  { orgId, sessionId, from }: { orgId: string; sessionId: string; from: string },
): Promise<Since[]> {
  const chosen = await requireCheckpoint(ctx, orgId, sessionId, from);
  const before = [chosen, ...(await checkpointsAt(ctx.db.kysely, orgId, sessionId, chosen.seq))];
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const found: Since[] = [];
    const newest = await latestCheckpoints(ctx.db.kysely, sessionId);
    for (const checkpoint of newest) {
      const value = await compare(
        ctx,
        before.find(({ repo }) => repo === checkpoint.repo),
        checkpoint,
      );
      if (value === undefined) break;
      found.push({ checkpoint, value });
    }
    if (found.length === newest.length) return found;
  }
  throw new ProviderError('The newest checkpoint of the session is not in the blob store.', { retryable: false });
}

/** Returns undefined if a part is missing, because a newer checkpoint superseded it in the meantime. */
async function compare(
  ctx: SinceContext,
  before: { commit: string; base_commit: string } | undefined,
  newest: Checkpoint,
): Promise<Diff | undefined> {
  const { commit: head, base_commit: base } = newest;
  const commit = before?.commit ?? base;
  const commits = { base_commit: commit, head_commit: head };
  if (commit === head) return { ...commits, additions: 0, deletions: 0, files: [] };
  if (before !== undefined && before.base_commit !== base) throw notKept();
  if (newest.parts === null) throw notKept();
  const tip = partsOf(newest).at(-1)?.commit ?? '';
  const states = { from: { commit, base }, to: { commit: head, base } };
  return unpacking.run(newest.org_id, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'guildhall-since-'));
    try {
      const repository = await unpackParts(ctx, newest, directory);
      if (repository === undefined) return undefined;
      const trees = await statesOf(repository, tip, states);
      if (trees === undefined) throw notKept();
      return { ...(await diffBetween(repository, trees.from, trees.to)), ...commits };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

function notKept(): AppError {
  const message =
    'The files of that checkpoint are no longer kept: later work replaced much of it, or it has what became a secret. Choose a later one.';
  return new AppError('conflict', message);
}
