import type { RetentionContext } from '../../src/features/define.ts';
import { features } from '../../src/features/index.ts';
import { runRetention, type Removals } from '../../src/jobs/retention.ts';

interface Now {
  afterMs?: number;
  orgId?: string;
  isDryRun?: boolean;
  signal?: AbortSignal;
}

/** Runs one kind of retention, with the clock ahead by `afterMs`; returns what it removed by organization. */
export async function retentionNow(
  ctx: RetentionContext,
  kind: string,
  { afterMs = 0, orgId = '', isDryRun = false, signal = new AbortController().signal }: Now = {},
): Promise<Removals> {
  const retention = features.flatMap((feature) => feature.retention ?? []).find((one) => one.kind === kind);
  if (retention === undefined) throw new Error(`There is no retention of ${kind}.`);
  const clock = { now: () => new Date(Date.now() + afterMs) };
  return runRetention(retention, { ...ctx, clock }, { orgId, isDryRun, signal });
}
