import { ComparisonTooLarge } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import { mostChanges } from '../../git/change-reader.ts';
import { refOf } from './open-change-request.ts';
import type { RepositoryRow } from './service.ts';

/** Returns the commits that a change spans, and its size. */
export async function extentOf(
  ctx: Pick<Context, 'sourceControl'>,
  orgId: string,
  repository: Pick<RepositoryRow, 'id' | 'connection_id' | 'repo' | 'provider'>,
  baseRef: string,
  head: string,
) {
  const source = ctx.sourceControl.of(repository.provider);
  try {
    const diff = await source.compare(refOf(orgId, repository), baseRef, head);
    const { additions, deletions, files } = diff;
    return { base_sha: diff.base_commit, additions, deletions, changed_files: files.length };
  } catch (error) {
    // The push already happened, and its change request needs a description.
    if (!(error instanceof ComparisonTooLarge)) throw error;
    return { base_sha: error.base, additions: 0, deletions: 0, changed_files: mostChanges };
  }
}
