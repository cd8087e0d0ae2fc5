import type { Context } from '../../app/context.ts';
import { settingsEverywhere } from '../settings/service.ts';
import { deleteOldGenerated, deleteSuperseded } from './generated-store.ts';
import { deleteGoneNotes } from './store.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * Days for which sessions are told about a note's deletion before it is purged. Longer than any turn, because a turn's sandbox
 * may be rebuilt with the same memory.
 */
const tombstoneDays = 90;
/** Days before superseded generated memory is purged. */
const supersededDays = 7;

/** Purges notes that were deleted long ago, and generated memory according to the setting `memory.retention_days`. */
export async function purgeMemory(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const { kysely } = ctx.db;
  const daysAgo = (days: number) => new Date(ctx.clock.now().getTime() - days * dayMs);
  await deleteGoneNotes(kysely, daysAgo(tombstoneDays));
  await deleteSuperseded(kysely, daysAgo(supersededDays));
  const { changed } = await settingsEverywhere(kysely, 'memory');
  for (const { orgId, value } of changed)
    if (value.retention_days > 0) await deleteOldGenerated(kysely, orgId, daysAgo(value.retention_days));
}
