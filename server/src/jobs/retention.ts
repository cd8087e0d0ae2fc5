import type { MaintenanceTask } from './maintenance.ts';

/** Rows or files of an organization that retention removes. */
export interface Removed {
  orgId: string;
  count: number;
  bytes: number;
}

export interface RetentionRun {
  /** The organization to limit it to; `''` for all. */
  readonly orgId: string;
  /** True to report what would be removed, and to remove nothing. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  /** Called for each batch. */
  report(removed: Removed): void;
}

/** One kind of data that is removed when it is too old, or when nothing refers to it. */
export interface RetentionKind<Needs> {
  /** Names the job and the line of the report: `events`. */
  readonly kind: string;
  /**
   * Removes in batches, by key. May be interrupted at any point, and run in several processes at once: rows are removed
   * before their files, so that no row names a missing file.
   */
  remove(ctx: Needs, run: RetentionRun): Promise<void>;
}

/** A kind that a job of the installation removes. */
export interface Retention<Needs> extends RetentionKind<Needs> {
  /** `minute hour day month weekday`, UTC. */
  readonly schedule: string;
}

/** The data of several organizations that one kind of retention removes, or would remove. */
export type Removals = ReadonlyMap<string, { count: number; bytes: number }>;

/** Runs one kind of retention; returns what it removed, or would remove, by organization. */
export async function runRetention<Needs>(
  retention: RetentionKind<Needs>,
  ctx: Needs,
  run: Omit<RetentionRun, 'report'>,
): Promise<Removals> {
  const removals = new Map<string, { count: number; bytes: number }>();
  await retention.remove(ctx, {
    ...run,
    report: ({ orgId, count, bytes }) => {
      const before = removals.get(orgId) ?? { count: 0, bytes: 0 };
      if (count > 0) removals.set(orgId, { count: before.count + count, bytes: before.bytes + bytes });
    },
  });
  return removals;
}

/** Returns the scheduled task of a kind of retention. */
export function retentionTask<Needs extends { log: { info(fields: object, message: string): void } }>(
  retention: Retention<Needs>,
): MaintenanceTask<Needs> {
  const { kind, schedule } = retention;
  return {
    name: `remove-${kind}`,
    schedule,
    timeoutMs: 21_600_000,
    async run(ctx, signal) {
      const removals = await runRetention(retention, ctx, { orgId: '', isDryRun: false, signal });
      for (const [org, removed] of removals) ctx.log.info({ org, kind, ...removed }, 'removed data by retention');
    },
  };
}
