import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { Value } from 'typebox/value';
import { DiffShape, type Diff } from '../repositories/change-request-schemas.ts';
import { latestCheckpoints } from './run-store.ts';
import { requireSession, type SessionContext } from './service.ts';

type DiffContext = SessionContext & Pick<Context, 'blobs'>;

const maxDiffBytes = 64 * 1_048_576;

/**
 * What the session changed so far, against the commits it began with: as the worker stored it with the newest
 * checkpoint. With several repositories the paths begin with the repository's directory in the workspace.
 */
export async function sessionDiff(ctx: DiffContext, caller: Caller, id: string): Promise<Diff> {
  const session = await requireSession(ctx, caller.organization.id, id);
  const several = session.repositories.length > 1;
  const diffs: Diff[] = [];
  for (const { blob, repo } of await latestCheckpoints(ctx.db.kysely, id)) {
    const stored = await ctx.blobs.getBuffer(`${blob}.diff`, { maxBytes: maxDiffBytes });
    const diff: unknown = stored === undefined ? undefined : JSON.parse(stored.toString('utf8'));
    if (isDiff(diff)) diffs.push(several ? below(repo.slice(repo.lastIndexOf('/') + 1), diff) : diff);
  }
  const base = session.repositories[0]?.base_commit ?? '';
  return {
    base_commit: diffs[0]?.base_commit ?? base,
    head_commit: diffs[0]?.head_commit ?? base,
    additions: diffs.reduce((sum, diff) => sum + diff.additions, 0),
    deletions: diffs.reduce((sum, diff) => sum + diff.deletions, 0),
    files: diffs.flatMap((diff) => diff.files),
  };
}

/** The same as text that `git apply` takes; of several repositories one behind the other. */
export async function sessionPatch(ctx: DiffContext, caller: Caller, id: string): Promise<string> {
  await requireSession(ctx, caller.organization.id, id);
  const patches: string[] = [];
  for (const { blob } of await latestCheckpoints(ctx.db.kysely, id)) {
    const stored = await ctx.blobs.getBuffer(`${blob}.patch`, { maxBytes: maxDiffBytes });
    if (stored !== undefined) patches.push(stored.toString('utf8'));
  }
  return patches.join('');
}

function isDiff(value: unknown): value is Diff {
  return Value.Check(DiffShape, value);
}

function below(directory: string, diff: Diff): Diff {
  const files = diff.files.map((file) => ({
    ...file,
    path: `${directory}/${file.path}`,
    old_path: file.old_path === '' ? '' : `${directory}/${file.old_path}`,
  }));
  return { ...diff, files };
}
