import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { processDelivery, type ProcessContext } from './process-service.ts';

const DeliveryJob = Type.Object({ delivery_id: Type.String() });

/** Enqueues the reading of a delivery. */
export async function enqueueDelivery(ctx: Pick<Context, 'jobs'>, trx: Transaction<DB>, id: string): Promise<void> {
  await ctx.jobs.enqueue(trx, 'delivery', { delivery_id: id }, { singletonKey: id });
}

/** Reads deliveries in this process. */
export function startDeliveries(ctx: ProcessContext): void {
  ctx.jobs.work('delivery', { concurrency: 4 }, async ({ data }) => {
    if (Value.Check(DeliveryJob, data)) await processDelivery(ctx, data.delivery_id);
  });
}
