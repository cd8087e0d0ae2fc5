import type { Context } from '../../../app/context.ts';
import type { RetentionRun } from '../../../jobs/retention.ts';
import { retentionWindows } from '../../settings/retention-service.ts';
import { deleteRuns, deleteTokens, listOldRuns, listOldTokens } from './retention-store.ts';

type RetentionContext = Pick<Context, 'db' | 'clock'>;

/** Rows that one transaction deletes. */
const batchSize = 500;
/** After this time nobody reports on an attempt. */
const tokensKeptMs = 30 * 24 * 60 * 60_000;

/** Deletes the runs that ended before the setting `retention.runs_days`, with their callback tokens. */
export async function removeOldRuns(ctx: RetentionContext, run: RetentionRun): Promise<void> {
  for (const window of await retentionWindows(ctx, 'runs_days', run.orgId))
    for (let after = ''; ;) {
      run.signal.throwIfAborted();
      const old = await listOldRuns(ctx.db.kysely, { ...window, after, limit: batchSize });
      const last = old.at(-1);
      if (last === undefined) break;
      const bytes = new Map(old.map(({ id, bytes: size }) => [id, size]));
      const removed = run.isDryRun
        ? [...bytes.keys()]
        : await deleteRuns(ctx.db.kysely, [...bytes.keys()], window.before);
      const total = removed.reduce((sum, id) => sum + (bytes.get(id) ?? 0), 0);
      run.report({ orgId: window.orgId, count: removed.length, bytes: total });
      after = last.id;
    }
}

/** Deletes the callback tokens of runs that ended 30 days ago. */
export async function removeOldTokens(ctx: RetentionContext, run: RetentionRun): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - tokensKeptMs);
  for (let after = ''; ;) {
    run.signal.throwIfAborted();
    const old = await listOldTokens(ctx.db.kysely, { orgId: run.orgId, after, before, limit: batchSize });
    const last = old.at(-1);
    if (last === undefined) break;
    if (!run.isDryRun)
      await deleteTokens(
        ctx.db.kysely,
        old.map(({ id }) => id),
      );
    for (const { org_id: orgId, bytes } of old) run.report({ orgId, count: 1, bytes });
    after = last.id;
  }
}
