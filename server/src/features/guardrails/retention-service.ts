import type { Context } from '../../app/context.ts';
import type { RetentionRun } from '../../jobs/retention.ts';
import { retentionWindows } from '../settings/retention-service.ts';
import { deleteViolations, listOldViolations } from './violation-store.ts';

/** Rows that one transaction deletes. */
const batchSize = 500;

/** Deletes the violations that are older than the setting `retention.violations_days`. The audit log keeps their entries. */
export async function removeOldViolations(ctx: Pick<Context, 'db' | 'clock'>, run: RetentionRun): Promise<void> {
  for (const window of await retentionWindows(ctx, 'violations_days', run.orgId))
    for (let after = ''; ;) {
      run.signal.throwIfAborted();
      const old = await listOldViolations(ctx.db.kysely, { ...window, after, limit: batchSize });
      const last = old.at(-1);
      if (last === undefined) break;
      if (!run.isDryRun)
        await deleteViolations(
          ctx.db.kysely,
          old.map(({ id }) => id),
        );
      const bytes = old.reduce((sum, one) => sum + one.bytes, 0);
      run.report({ orgId: window.orgId, count: old.length, bytes });
      after = last.id;
    }
}
