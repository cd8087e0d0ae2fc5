import type { Context } from '../../app/context.ts';
import { settingsEverywhere, type Setting } from './service.ts';
import { existingOf } from './store.ts';

const dayMs = 24 * 60 * 60_000;

/** Data of this organization from before this instant is removed. */
export interface RetentionWindow {
  orgId: string;
  before: Date;
}

/**
 * Returns the organizations that limit how long this data is kept; only `orgId` unless it is `''`. A deleted organization
 * keeps everything until it is restored or purged.
 */
export async function retentionWindows(
  ctx: Pick<Context, 'db' | 'clock'>,
  key: keyof Setting<'retention'>,
  orgId: string,
): Promise<RetentionWindow[]> {
  const { changed } = await settingsEverywhere(ctx.db.kysely, 'retention');
  const limited = changed.filter((one) => one.value[key] > 0 && (orgId === '' || one.orgId === orgId));
  const existing = await existingOf(
    ctx.db.kysely,
    limited.map((one) => one.orgId),
  );
  const nowMs = ctx.clock.now().getTime();
  return limited
    .filter((one) => existing.has(one.orgId))
    .map((one) => ({ orgId: one.orgId, before: new Date(nowMs - one.value[key] * dayMs) }));
}
