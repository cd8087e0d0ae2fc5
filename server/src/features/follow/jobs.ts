import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import { enqueueLook } from './enqueue.ts';
import { lookAtChangeRequest, type LookContext } from './look-service.ts';
import { takeDue } from './store.ts';

const Look = Type.Object({ org_id: Type.String(), repository_id: Type.String(), number: Type.Integer() });

/** Follows change requests in this process. */
export function startFollowing(ctx: LookContext): void {
  ctx.jobs.work('follow', { concurrency: 4 }, async ({ data }) => {
    if (Value.Check(Look, data)) await lookAtChangeRequest(ctx, data);
  });
}

/** Looks at change requests whose time has come, also if a job was lost. */
export async function lookAtDue(ctx: Pick<Context, 'db' | 'clock' | 'jobs'>): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    for (const place of await takeDue(trx, ctx.clock.now(), 1_000)) await enqueueLook(ctx, trx, place);
  });
}
