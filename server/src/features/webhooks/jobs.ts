import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import { deliverDue } from './deliver-service.ts';

const WebhookJob = Type.Object({ webhook_id: Type.String() });

/**
 * Sends deliveries in this process: each job those of one webhook. An organization's receivers that hang take at most 20
 * places.
 */
export function startWebhooks(ctx: Pick<Context, 'db' | 'clock' | 'keyRing' | 'jobs' | 'outgoing'>): void {
  ctx.jobs.work('webhook', { concurrency: 64 }, async ({ data, signal }) => {
    if (Value.Check(WebhookJob, data)) await deliverDue(ctx, data.webhook_id, signal);
  });
}
