import type { Context } from '../../../app/context.ts';
import { firstIdAt } from '../../../lib/ids.ts';
import { recordSystemAct, type AuditFact } from '../../../mutation/mutate.ts';
import { settingsEverywhere } from '../../settings/service.ts';
import { lockEnded, lockIdle } from '../store/rest-store.ts';
import { updateSessionRow } from '../store/session-store.ts';
import { bySystem, moveSession } from '../store/transition-store.ts';

type RestContext = Pick<Context, 'db' | 'clock'>;

/** The number of sessions that one transaction changes. */
const batch = 100;
const dayMs = 24 * 60 * 60_000;

/**
 * Suspends sessions that have waited for a message longer than the setting `sessions.idle_suspend_minutes`; returns
 * their number. A worker with a warm sandbox loses it with the fencing token.
 */
export async function suspendIdle(ctx: RestContext): Promise<number> {
  const { byDefault, changed } = await settingsEverywhere(ctx.db.kysely, 'sessions');
  const now = ctx.clock.now();
  return inBatches(() =>
    ctx.db.transaction(async (trx) => {
      const sessions = await lockIdle(trx, {
        now,
        byDefault: byDefault.idle_suspend_minutes,
        changed: changed.map(({ orgId, value }) => ({ org_id: orgId, minutes: value.idle_suspend_minutes })),
        limit: batch,
      });
      for (const session of sessions)
        await moveSession(trx, session, { event: 'suspend', by: bySystem, detail: 'inactivity', tellsWorker: true });
      return sessions.length;
    }),
  );
}

/**
 * Archives sessions that ended, and were not changed since, longer ago than the setting `sessions.archive_after_days`.
 */
export async function archiveEnded(ctx: RestContext): Promise<number> {
  const { changed } = await settingsEverywhere(ctx.db.kysely, 'sessions');
  const now = ctx.clock.now();
  let archived = 0;
  for (const { orgId, value } of changed) {
    if (value.archive_after_days === 0) continue;
    const since = new Date(now.getTime() - value.archive_after_days * dayMs);
    archived += await inBatches(() => archiveSome(ctx, orgId, since, now));
  }
  return archived;
}

async function archiveSome(ctx: RestContext, orgId: string, since: Date, now: Date): Promise<number> {
  return ctx.db.transaction(async (trx) => {
    const firstIdSince = firstIdAt('ses', since.getTime());
    const ids = await lockEnded(trx, orgId, { since, firstIdSince, limit: batch });
    for (const id of ids) {
      await updateSessionRow(trx, id, { archived: true, updated_at: now });
      const fact: AuditFact = { action: 'session.archive', resource: { type: 'session', id } };
      await recordSystemAct(trx, orgId, 'upkeep', fact, now);
    }
    return ids.length;
  });
}

/** Runs batches until one is not full; returns the total number. */
async function inBatches(one: () => Promise<number>): Promise<number> {
  let sum = 0;
  for (;;) {
    const count = await one();
    sum += count;
    if (count < batch) return sum;
  }
}
