import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { readAutomation } from '../store.ts';
import { hashCallbackToken, newCallbackToken } from './callback-token.ts';
import { promptOf } from './dispatch-service.ts';
import { leaseMs } from './due.ts';
import { moveRun } from './move.ts';
import { shownRun } from './service.ts';
import type { LockedRun } from './store.ts';
import { insertToken } from './token-store.ts';

/** The principal that gets a run, and for whom its callback token speaks. */
export interface Holder {
  readonly type: 'user' | 'service_user' | 'app';
  readonly id: string;
  readonly name: string;
}

export type HandedOut = Awaited<ReturnType<typeof handOut>>;

/** Starts a locked run for an external executor, with the next fencing token and a token for its callbacks. */
export async function handOut(
  ctx: Pick<Context, 'clock' | 'jobs' | 'baseUrl'>,
  trx: Transaction<DB>,
  { type, id: by, name }: Holder,
  locked: LockedRun,
) {
  const now = ctx.clock.now();
  const lease_expires_at = new Date(now.getTime() + leaseMs);
  const deadline_at = new Date(now.getTime() + locked.automation.timeout_minutes * 60_000);
  const change = { lease_expires_at, deadline_at };
  const run = await moveRun(ctx, trx, locked, { event: 'start', by: { type, id: by }, now, change });
  const automation = await readAutomation(trx, run.org_id, run.automation_id);
  if (automation === undefined) throw new Error(`The automation ${run.automation_id} disappeared under a lock.`);
  const token = newCallbackToken();
  await insertToken(trx, {
    id: newId('cbk', now.getTime()),
    org_id: run.org_id,
    run_id: run.id,
    fencing_token: run.fencing_token,
    attempt_no: run.attempt_no,
    hash: hashCallbackToken(token),
    last4: token.slice(-4),
    principal_type: type,
    principal_id: by,
    principal_name: name,
    created_at: now,
  });
  return {
    run: {
      ...shownRun(run),
      prompt: promptOf(automation, run),
      lease_expires_at,
      callback_url: `${ctx.baseUrl()}/automations/runs/${run.id}/callback`,
      callback_token: token,
    },
  };
}
