import type { Context } from '../../../app/context.ts';
import type { RetentionRun } from '../../../jobs/retention.ts';
import { retentionWindows, type RetentionWindow } from '../../settings/retention-service.ts';
import {
  deleteEventsTo,
  holdSession,
  listSessionsByAge,
  readNeededTurn,
  readOldEvents,
} from '../store/retention-store.ts';

type RetentionContext = Pick<Context, 'db' | 'clock'>;

const sessionBatch = 1_000;
/** The number of events that one transaction deletes. */
const eventBatch = 1_000;
/** Consumers of domain events read the log of a session later, but not after this time. */
const recentMs = 24 * 60 * 60_000;

/**
 * Deletes the events that are older than the setting `retention.events_days`, unless they are still needed. Always the
 * oldest of a log first, so that it has no gaps.
 */
export async function removeOldEvents(ctx: RetentionContext, run: RetentionRun): Promise<void> {
  for (const window of await retentionWindows(ctx, 'events_days', run.orgId))
    for (let after = ''; ;) {
      run.signal.throwIfAborted();
      const sessions = await listSessionsByAge(ctx.db.kysely, { ...window, after, limit: sessionBatch });
      for (const { id, isDue } of sessions) if (isDue) await removeFrom(ctx, id, window, run);
      const last = sessions.at(-1);
      if (last === undefined || sessions.length < sessionBatch) break;
      after = last.id;
    }
}

async function removeFrom(
  ctx: RetentionContext,
  id: string,
  { orgId, before }: RetentionWindow,
  run: RetentionRun,
): Promise<void> {
  const { isDryRun } = run;
  const recent = new Date(ctx.clock.now().getTime() - recentMs);
  for (let after = 0; ;) {
    run.signal.throwIfAborted();
    const old = await ctx.db.transaction(async (trx) => {
      if (!isDryRun) await holdSession(trx, id);
      const needed = await readNeededTurn(trx, id, recent);
      if (needed === undefined) return undefined;
      const events = await readOldEvents(trx, id, { after, before, needed, limit: eventBatch });
      if (!isDryRun && events.count > 0) await deleteEventsTo(trx, id, events.last);
      return events;
    });
    if (old === undefined) return;
    run.report({ orgId, count: old.count, bytes: old.bytes });
    if (old.count < eventBatch) return;
    after = old.last;
  }
}
