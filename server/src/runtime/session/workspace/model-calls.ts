import { reserveCall, settleCall } from '../../../features/sessions/run/model-service.ts';
import { persist } from '../../../features/sessions/run/persist.ts';
import { LeaseLost } from '../../../features/sessions/run/run-service.ts';
import { refusalOf } from '../../../features/sessions/api/model-choice-service.ts';
import type { GatewayEvent, ModelCall, ModelPermit, ModelUsage, SessionModels } from '../../../gateway/session.ts';
import { toMillionth } from '../../../lib/rounded.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { reportGroupLimit } from '../attempt/group-time.ts';
import { reportLimit, warnOfLimits } from '../attempt/period-limits.ts';

/** Models that a session's gateway endpoint offers: its own, and others that it could have been created with. */
export function sessionModels({
  ctx,
  run,
  session,
  models,
}: Pick<Attempt, 'ctx' | 'run' | 'session' | 'models'>): SessionModels {
  const { created_by_type: type, created_by_id: id } = session;
  return {
    providers: models.providers,
    prices: models.prices,
    refusal: async (model) => (model === session.model ? '' : refusalOf(ctx, run.orgId, models, model, { type, id })),
  };
}

/** Retries of a usage record, long enough for a restart of the database. */
const settleRetriesMs = [250, 1_000, 4_000, 15_000];

/**
 * Decides on a model call for the gateway. If the lease is lost or the budget used up, the run or turn is stopped before the
 * agent receives the refusal.
 */
export async function permitModel(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'secrets' | 'events'>,
  call: ModelCall,
): Promise<ModelPermit> {
  const { ctx, run, control, events } = attempt;
  if (control.lost.aborted) return refusal('lease', new LeaseLost(run.id).message);
  if (control.stopped === 'budget') return refusal('budget', 'The session has used up its budget.');
  const { inputTokens, maxOutputTokens, price } = call;
  // The call waits out an outage of the database: after an error the agent would give up.
  const decision = await persist(run, () =>
    reserveCall(ctx, run, { model: call.model, inputTokens, maxOutputTokens, price }),
  );
  switch (decision.outcome) {
    case 'lease_lost': {
      const error = new LeaseLost(run.id);
      control.loseLease(error);
      return refusal('lease', error.message);
    }
    case 'budget': {
      const { limit, allowed, group, period } = decision;
      const used = toMillionth(decision.used);
      if (period !== undefined) await persist(run, () => reportLimit(attempt, period));
      else if (group === undefined) events.write({ kind: 'budget', data: { limit, used, allowed } });
      else
        reportGroupLimit(attempt, {
          account: group,
          limit: limit === 'max_tokens' ? 'tokens' : 'cost_usd',
          used,
          allowed,
        });
      control.stopTurn('budget');
      return refusal('budget', `The budget does not allow another call: ${used} of ${limit} ${allowed} are used.`);
    }
    case 'no_price':
      attempt.events.warn(
        'price_unknown',
        `The session or a group of its user has a cost limit, but the price of ${call.model} is unknown. Set a price in the organization's settings (models) or in GUILDHALL_MODEL_PRICES, or limit tokens instead.`,
      );
      control.stopTurn('budget');
      return refusal('budget', `The price of ${call.model} is unknown.`);
    case 'reserved': {
      warnOfLimits(attempt, decision.exceeded ?? []);
      const settle = (usage: ModelUsage): Promise<void> =>
        recordUsage(attempt, () => settleCall(ctx, run, decision, { model: call.model, ...usage }));
      return { allowed: true, maxOutputTokens: decision.maxOutputTokens, settle };
    }
  }
}

function refusal(reason: 'lease' | 'budget', message: string): ModelPermit {
  return { allowed: false, reason, message };
}

/** Records usage with retries. Never rejects: no caller could handle a failure. */
async function recordUsage({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, settle: () => Promise<void>): Promise<void> {
  for (const delayMs of [...settleRetriesMs, undefined]) {
    try {
      return await settle();
    } catch (error) {
      if (delayMs === undefined)
        ctx.log.error({ session: run.id, reason: messageOf(error) }, 'failed to record the usage of a model call');
      else await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** Writes the gateway's refusals to the session's log. */
export function logRefusal(attempt: Pick<Attempt, 'events'>, event: GatewayEvent): void {
  if (event.kind === 'refused') attempt.events.warn('gateway_refused', event.message);
}
