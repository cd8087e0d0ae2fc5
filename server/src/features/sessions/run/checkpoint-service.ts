import { newId } from '../../../lib/ids.ts';
import type { Part } from './checkpoint-parts.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { appendingOnce, persist } from './persist.ts';
import { LeaseLost, type Run, type RunContext } from './run-service.ts';
import { insertCheckpoint, latestCheckpoints, supersedeCheckpoint, updateRun } from '../store/run-store.ts';

export interface NewCheckpoint {
  repo: string;
  commit: string;
  baseCommit: string;
  turn: number;
  /** Begins the keys of what lies beside it in the blob store: `<blob>.diff`, `.patch` and `.state`. */
  blob: string;
  /** What it is restored from, oldest first; all of it is in the blob store. */
  parts: readonly Part[];
  /** Whether its patch may show binary files. */
  binaries: boolean;
  /** Bytes that were bundled for it. */
  sizeBytes: number;
  /** The id of the repository's newest checkpoint before it, from whose parts these were made; `''` when there is none. */
  supersedes: string;
  /** What it changed since the one before it; in the log before it. */
  changes: readonly NewEvent[];
}

/**
 * Records a checkpoint whose bundles are in the blob store already, with its event; answers its id. What the superseded
 * one alone needed may be deleted then. Throws {@link LeaseLost}, and an Error when another checkpoint is the newest.
 */
export async function recordCheckpoint(ctx: RunContext, run: Run, checkpoint: NewCheckpoint): Promise<string> {
  const now = ctx.clock.now();
  const id = newId('chk', now.getTime());
  return appendingOnce(ctx, run, id, async (trx, appendOnce) => {
    // Progress: workers that were lost before it do not count against the session any more.
    if (!(await updateRun(trx, run.id, run.fence, { losses: 0 }))) throw new LeaseLost(run.id);
    const newest = (await latestCheckpoints(trx, run.id)).find(({ repo }) => repo === checkpoint.repo)?.id ?? '';
    if (newest !== checkpoint.supersedes)
      throw new Error(`The newest checkpoint of ${run.id} is ${newest}, not ${checkpoint.supersedes}.`);
    await supersedeCheckpoint(trx, newest);
    // A workspace without a repository has no commit before its first file, and nothing to tell of.
    const { commit, changes } = checkpoint;
    await appendOnce(commit === '' ? changes : [...changes, { kind: 'checkpoint', data: { commit } }]);
    const { last_seq: seq } = await trx
      .selectFrom('sessions')
      .select('last_seq')
      .where('id', '=', run.id)
      .executeTakeFirstOrThrow();
    await insertCheckpoint(trx, {
      id,
      org_id: run.orgId,
      session_id: run.id,
      repo: checkpoint.repo,
      commit: checkpoint.commit,
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

/** The newest checkpoint of a repository of the run's session. */
export async function newestCheckpoint(ctx: RunContext, run: Run, repo: string) {
  const rows = await persist(run, () => latestCheckpoints(ctx.db.kysely, run.id));
  return rows.find((row) => row.repo === repo);
}
