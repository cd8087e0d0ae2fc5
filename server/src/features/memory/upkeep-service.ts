import type { Context } from '../../app/context.ts';
import { settingsEverywhere } from '../settings/service.ts';
import { deleteOldGenerated, deleteSuperseded } from './generated-store.ts';
import { deleteGoneNotes } from './store.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * How long sessions are told that a note was deleted; then nothing is left of it. Longer than any turn: its sandbox may be
 * made again with what it was given.
 */
const tombstoneDays = 90;
/** The same of generated memory that newer one took the place of. */
const supersededDays = 7;

/** Forgets notes that were deleted long ago, and generated memory as settings `memory.retention_days` say. */
export async function forgetMemory(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const { kysely } = ctx.db;
  const daysAgo = (days: number) => new Date(ctx.clock.now().getTime() - days * dayMs);
  await deleteGoneNotes(kysely, daysAgo(tombstoneDays));
  await deleteSuperseded(kysely, daysAgo(supersededDays));
  const { changed } = await settingsEverywhere(kysely, 'memory');
  for (const { orgId, value } of changed)
    if (value.retention_days > 0) await deleteOldGenerated(kysely, orgId, daysAgo(value.retention_days));
}
