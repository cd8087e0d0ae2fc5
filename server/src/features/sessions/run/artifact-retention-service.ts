import type { Context } from '../../../app/context.ts';
import type { RetentionRun } from '../../../jobs/retention.ts';
import { abandonedMs, removeOrphans } from '../../storage/orphan-service.ts';
import { knownArtifacts } from '../store/retention-store.ts';

/** Deletes blobs of artifacts that a crash left without a row, or a deleted session without a session. */
export async function removeLostArtifacts(
  ctx: Pick<Context, 'db' | 'blobs' | 'clock' | 'log'>,
  run: RetentionRun,
): Promise<void> {
  const needed = (keys: readonly string[]) => knownArtifacts(ctx.db.kysely, keys);
  const prefix = `artifacts/${run.orgId === '' ? '' : `${run.orgId}/`}`;
  await removeOrphans(ctx, { prefix, minAgeMs: abandonedMs, needed }, run);
}
