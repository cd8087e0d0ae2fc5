import { newId } from '../../../lib/ids.ts';
import type { Part } from './checkpoint-parts.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { appendingOnce, changeIn, persist } from './persist.ts';
import type { Run, RunContext } from './run-service.ts';
import { insertCheckpoint, latestCheckpoints, supersedeCheckpoint } from '../store/run-store.ts';

export interface NewCheckpoint {
  repo: string;
  commit: string;
  baseCommit: string;
  turn: number;
  /** The prefix of related blobs: `<blob>.diff`, `.patch` and `.state`. */
  blob: string;
  /** The parts that it is restored from, oldest first; all are in the blob store. */
  parts: readonly Part[];
  /** True if its patch may include binary files. */
  binaries: boolean;
  /** The bundled bytes. */
  sizeBytes: number;
  /** The id of the repository's previous checkpoint, from whose parts these were made; `''` for none. */
  supersedes: string;
  /** Its changes since the previous one; logged before it. */
  changes: readonly NewEvent[];
}

/**
 * Records a checkpoint whose bundles are in the blob store, with its event; returns its id. Blobs that only the
 * superseded one needed may be deleted then. Throws {@link LeaseLost}, and Error if the newest checkpoint is another
 * one.
 */
export async function recordCheckpoint(ctx: RunContext, run: Run, checkpoint: NewCheckpoint): Promise<string> {
  const now = ctx.clock.now();
  const id = newId('chk', now.getTime());
  return appendingOnce(ctx, run, id, async (trx, mark) => {
    // A workspace without a repository has no commit before its first file, so there is nothing to report.
    const { commit, changes } = checkpoint;
    const events = commit === '' ? changes : [...changes, { kind: 'checkpoint', data: { commit } } as const];
    // Progress: earlier lost attempts no longer count against the session.
    const seq = await changeIn(trx, run, { losses: 0 }, events, { mark });
    const newest = (await latestCheckpoints(trx, run.id)).find(({ repo }) => repo === checkpoint.repo)?.id ?? '';
    if (newest !== checkpoint.supersedes)
      throw new Error(`The newest checkpoint of ${run.id} is ${newest}, not ${checkpoint.supersedes}.`);
    if (newest !== '') await supersedeCheckpoint(trx, newest);
    await insertCheckpoint(trx, {
      id,
      org_id: run.orgId,
      session_id: run.id,
      repo: checkpoint.repo,
      commit,
      base_commit: checkpoint.baseCommit,
      turn: checkpoint.turn,
      seq,
      blob: checkpoint.blob,
      size_bytes: checkpoint.sizeBytes,
      parts: JSON.stringify(checkpoint.parts),
      binaries: checkpoint.binaries,
      created_at: now,
    });
    return id;
  });
}

/** Returns the newest checkpoint of a repository of the run's session. */
export async function newestCheckpoint(ctx: RunContext, run: Run, repo: string) {
  const rows = await persist(run, () => latestCheckpoints(ctx.db.kysely, run.id));
  return rows.find((row) => row.repo === repo);
}
