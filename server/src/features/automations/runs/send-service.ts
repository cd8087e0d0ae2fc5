import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { webhookHeaders } from '../../../lib/standard-webhooks.ts';
import { productVersion } from '../../../lib/version.ts';
import { open } from '../../secrets/envelope.ts';
import { mayRun } from '../../auth/actors.ts';
import { readActorOrganization } from '../actor.ts';
import { endAttempt } from './end-attempt.ts';
import { executorPurpose } from './executor-service.ts';
import { readExecutor } from './executor-store.ts';
import { handOut, type HandedOut, type Holder } from './hand-out.ts';
import { bySystem } from './move.ts';
import { lockRun, readRunPlace } from './store.ts';
import { isHeldBack } from './turn-store.ts';

export type SendContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl' | 'keyRing' | 'outgoing'>;

/**
 * Hands a pending run out to the receiver of its automation, if it has one. A receiver that does not accept it fails the
 * attempt. If this process dies in between, the lease expires.
 */
export async function sendRun(ctx: SendContext, id: string, signal: AbortSignal): Promise<void> {
  const place = await readRunPlace(ctx.db.kysely, id);
  if (place === undefined) return;
  const { org_id: orgId, automation_id } = place;
  const executor = await readExecutor(ctx.db.kysely, orgId, automation_id);
  // Claims get its runs.
  if (executor === undefined) return;
  const { url, principal_type: type, principal_id: principalId, principal_name: name } = executor;
  const secret = (await open(ctx, orgId, executorPurpose(automation_id), executor.sealed_secret)).toString('utf8');
  const handed = await ctx.db.transaction(async (trx) => {
    const locked = await lockRun(trx, orgId, id);
    if (locked?.run.status !== 'pending' || (await isHeldBack(trx, locked.run))) return undefined;
    const errorMessage = await refusalOf(trx, orgId, { type, id: principalId });
    if (errorMessage === '') return handOut(ctx, trx, { type, id: principalId, name }, locked);
    const end = { outcome: 'failed', by: bySystem, now: ctx.clock.now(), latencyMs: 0 } as const;
    await endAttempt(ctx, trx, locked, { ...end, errorClass: 'forbidden', errorMessage });
    return undefined;
  });
  if (handed === undefined) return;
  const problem = await send(ctx, { url, secret }, handed, signal);
  if (problem !== '') await giveUp(ctx, orgId, handed, problem);
}

/** Returns why a receiver gets no run, or `''`: it works for the principal that set it. */
async function refusalOf(trx: Transaction<DB>, orgId: string, holder: Omit<Holder, 'name'>): Promise<string> {
  if ((await readActorOrganization(trx, orgId))?.state !== 'active')
    return 'The organization is suspended or being deleted.';
  if (await mayRun(trx, orgId, holder)) return '';
  return 'Who set the receiver no longer has the scope run. Set the receiver of this automation again.';
}

/** Sends a run; returns why the receiver did not accept it, or `''`. */
async function send(
  ctx: SendContext,
  { url, secret }: { url: string; secret: string },
  { run }: HandedOut,
  signal: AbortSignal,
): Promise<string> {
  const at = ctx.clock.now();
  const body = JSON.stringify({ type: 'run.handed_out', timestamp: at.toISOString(), data: { run } });
  const headers = {
    'content-type': 'application/json',
    'user-agent': `guildhall/${productVersion}`,
    ...webhookHeaders({ id: `${run.id}_${run.fencing_token}`, body, at }, [secret]),
  };
  try {
    const { status } = await ctx.outgoing({ url, headers, body, signal, isConfidential: true });
    return status >= 200 && status < 300 ? '' : `The receiver answered ${status}.`;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    return error.message;
  }
}

async function giveUp(ctx: SendContext, orgId: string, { run }: HandedOut, problem: string): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const locked = await lockRun(trx, orgId, run.id);
    // It reported its end nevertheless.
    if (locked?.run.status !== 'running' || locked.run.fencing_token !== run.fencing_token) return;
    const end = { outcome: 'failed', by: bySystem, now: ctx.clock.now() } as const;
    await endAttempt(ctx, trx, locked, { ...end, errorClass: 'hand_out_failed', errorMessage: problem });
  });
}
