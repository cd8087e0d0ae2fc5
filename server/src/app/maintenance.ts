import { consumers } from './consumers.ts';
import type { Context } from './context.ts';
import { features } from '../features/index.ts';
import { purgeIdempotencyKeys } from '../http/idempotency-store.ts';
import { purgeRateLimits } from '../http/rate-limit-store.ts';
import { purgeWorkerCalls } from '../jobs/call-store.ts';
import { deleteOldEvents } from '../outbox/outbox.ts';
import { retentionTask } from '../jobs/retention.ts';
import { scheduleMaintenance, workMaintenance, type MaintenanceTask } from '../jobs/maintenance.ts';

/** Maintenance that no single feature owns. */
const ownMaintenance: MaintenanceTask<Context>[] = [
  {
    name: 'delete-idempotency-keys',
    schedule: '*/5 * * * *',
    timeoutMs: 120_000,
    run: ({ db }) => purgeIdempotencyKeys(db),
  },
  { name: 'delete-rate-limits', schedule: '*/5 * * * *', timeoutMs: 120_000, run: ({ db }) => purgeRateLimits(db) },
  {
    name: 'delete-outbox-events',
    schedule: '*/5 * * * *',
    timeoutMs: 120_000,
    run: (ctx) => deleteOldEvents(ctx, consumers),
  },
  { name: 'delete-worker-calls', schedule: '*/5 * * * *', timeoutMs: 120_000, run: ({ db }) => purgeWorkerCalls(db) },
];

const tasks = [
  ...ownMaintenance,
  ...features.flatMap(({ maintenance = [], retention = [] }) => [...maintenance, ...retention.map(retentionTask)]),
];

/** Schedules the installation's maintenance and runs it here; tasks on repositories only if this process has them. */
export async function startMaintenance(ctx: Context, { hasRepositories }: { hasRepositories: boolean }): Promise<void> {
  workMaintenance(ctx.jobs, 'maintenance', tasks, ctx);
  if (hasRepositories) workMaintenance(ctx.jobs, 'repository_maintenance', tasks, ctx);
  await scheduleMaintenance(ctx.jobs, tasks);
}
