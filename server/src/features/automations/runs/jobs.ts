import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { withoutRequest } from '../../../caller.ts';
import { AppError } from '../../../lib/errors.ts';
import { cancelSession } from '../../sessions/api/action-service.ts';
import { lookAtRun, type LookContext } from './look-service.ts';
import { wakePending } from './move.ts';
import { sendRun, type SendContext } from './send-service.ts';
import { readActorOrganization } from '../actor.ts';

const Look = Type.Object({ run_id: Type.String() });
const Cancel = Type.Object({ cancel: Type.String(), org_id: Type.String() });

const Wake = Type.Object({ wake: Type.String(), after: Type.String() });

/** Starts runs of automations, and ends those that are overdue, in this process. */
export function startAutomationRuns(ctx: LookContext & SendContext): void {
  ctx.jobs.work('automation_run', { concurrency: 8 }, async ({ data }) => {
    if (Value.Check(Look, data)) await lookAtRun(ctx, data.run_id);
    else if (Value.Check(Wake, data)) await ctx.db.transaction((trx) => wakePending(ctx, trx, data.wake, data.after));
    else if (Value.Check(Cancel, data)) await cancelAbandoned(ctx, data.org_id, data.cancel);
  });
  // A queue of its own: receivers that hang delay no other runs.
  ctx.jobs.work('automation_hand_out', { concurrency: 32 }, async ({ data, signal }) => {
    if (Value.Check(Look, data)) await sendRun(ctx, data.run_id, signal);
  });
}

/** Cancels the session of an attempt that ended before it. */
async function cancelAbandoned(ctx: LookContext, orgId: string, sessionId: string): Promise<void> {
  const organization = await readActorOrganization(ctx.db.kysely, orgId);
  if (organization === undefined) return;
  const principal = { type: 'system', id: '', name: 'Guildhall', email: '' } as const;
  const caller = withoutRequest({ organization, principal, scopes: new Set(['run']), permission: '', role: '' });
  try {
    await cancelSession(ctx, caller, sessionId);
  } catch (error) {
    // It ended by itself, or was deleted.
    if (!(error instanceof AppError)) throw error;
  }
}
