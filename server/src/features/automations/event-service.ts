import type { Transaction } from 'kysely';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { meets } from './conditions.ts';
import { listListeners } from './event-store.ts';
import { createRun } from './runs/create-service.ts';

type EventContext = Pick<Context, 'db' | 'clock' | 'jobs'>;

/** Triggers per transaction. */
const pageSize = 100;

/** The job that starts the listeners to one event, from a place in their order on. */
const EventPage = Type.Object({
  org_id: Type.String(),
  type: Type.Enum(['push', 'change_request', 'issue']),
  /** Names the event in the deduplication key of its runs. */
  key: Type.String(),
  payload: Type.Record(Type.String(), Type.Unknown()),
  /** The automation whose session caused it, which it does not start; `''` for none. */
  except: Type.String(),
  chain_length: Type.Integer(),
  /** The last trigger of the page before. */
  after: Type.Object({ automation_id: Type.String(), id: Type.String() }),
});
type EventPage = Static<typeof EventPage>;

export const firstPage = { automation_id: '', id: '' };

/** Handles the jobs of events in this process. */
export function startAutomationEvents(ctx: EventContext): void {
  ctx.jobs.work('automation_event', { concurrency: 2 }, async ({ data }) => {
    if (Value.Check(EventPage, data)) await startListeners(ctx, data);
  });
}

/** Enqueues the next listeners to an event. */
export async function enqueuePage(ctx: Pick<Context, 'jobs'>, trx: Transaction<DB>, page: EventPage): Promise<void> {
  await ctx.jobs.enqueue(trx, 'automation_event', page, { singletonKey: `${page.org_id} ${page.key}` });
}

/**
 * Starts the listeners of one page whose conditions an event meets, and enqueues the next page, in one transaction. A page
 * that runs twice starts nothing twice: an automation has one run per event, whichever of its triggers it meets.
 */
async function startListeners(ctx: EventContext, page: EventPage): Promise<void> {
  const { org_id: orgId, type, key, payload, except, chain_length: chainLength, after } = page;
  await ctx.db.transaction(async (trx) => {
    const listeners = await listListeners(trx, orgId, type, { after, limit: pageSize });
    for (const { id, org_id, trigger_id, triggers } of listeners) {
      const trigger = triggers.find((one) => one.id === trigger_id);
      if (id === except || trigger === undefined || !meets(trigger.conditions, payload)) continue;
      const run = {
        trigger: { type, id: trigger_id },
        scheduledFor: null,
        payload,
        deduplicationKey: key,
        chainLength,
      };
      await createRun(ctx, trx, { id, org_id }, run);
    }
    const last = listeners.at(-1);
    if (last !== undefined && listeners.length === pageSize)
      await enqueuePage(ctx, trx, { ...page, after: { automation_id: last.id, id: last.trigger_id } });
  });
}
