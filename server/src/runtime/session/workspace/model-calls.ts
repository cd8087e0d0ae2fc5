import { reserveCall, settleCall } from '../../../features/sessions/run/model-service.ts';
import { persist } from '../../../features/sessions/run/persist.ts';
import { LeaseLost } from '../../../features/sessions/run/run-service.ts';
import { refusalOf } from '../../../features/sessions/api/model-choice-service.ts';
import type { GatewayEvent, ModelCall, ModelPermit, ModelUsage, SessionModels } from '../../../gateway/session.ts';
import { toMillionth } from '../../../lib/rounded.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { reportGroupLimit } from '../attempt/group-time.ts';

/** What a session's door leads to: the organization's models, of which it may use its own and those it could have named. */
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

/** A database that restarts is back within this; what was spent is written down then. */
const settleRetriesMs = [250, 1_000, 4_000, 15_000];

/**
 * Decides on a model call for the gateway. A run that lost its session ends, and one that used its budget up stops,
 * before the gateway's answer reaches whoever called.
 */
export async function permitModel(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events'>,
  call: ModelCall,
): Promise<ModelPermit> {
  const { ctx, run, control, events } = attempt;
  if (control.lost.aborted) return refusal('lease', new LeaseLost(run.id).message);
  if (control.stopped === 'budget') return refusal('budget', 'The session has used its budget up.');
  const { inputTokens, maxOutputTokens, price } = call;
  // While the database is away the call waits: an agent that were told so would give up.
  const decision = await persist(run, () => reserveCall(ctx, run, { inputTokens, maxOutputTokens, price }));
  switch (decision.outcome) {
    case 'lease_lost': {
      const error = new LeaseLost(run.id);
      control.loseLease(error);
      return refusal('lease', error.message);
    }
    case 'budget': {
      const { limit, allowed, group } = decision;
      const used = toMillionth(decision.used);
      if (group === undefined) events.write({ kind: 'budget', data: { limit, used, allowed } });
      else
        reportGroupLimit(attempt, {
          account: group,
          limit: limit === 'max_tokens' ? 'tokens' : 'cost_usd',
          used,
          allowed,
        });
      control.stopTurn('budget');
      return refusal('budget', `The budget of ${limit} ${allowed} has no room for another call: ${used} is used.`);
    }
    case 'no_price':
      attempt.events.warn(
        'price_unknown',
        `The session or a group of its person has a limit of cost, and nobody knows the price of ${call.model}. Put one into the organization's settings models or GUILDHALL_MODEL_PRICES, or limit tokens instead.`,
      );
      control.stopTurn('budget');
      return refusal('budget', `The price of ${call.model} is not known.`);
    case 'reserved': {
      const settle = (usage: ModelUsage): Promise<void> =>
        settled(attempt, () => settleCall(ctx, run, decision, { model: call.model, ...usage }));
      return { allowed: true, maxOutputTokens: decision.maxOutputTokens, settle };
    }
  }
}

function refusal(reason: 'lease' | 'budget', message: string): ModelPermit {
  return { allowed: false, reason, message };
}

/** Never rejects: nobody could do anything about it but what is done here. */
async function settled({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, settle: () => Promise<void>): Promise<void> {
  for (const delayMs of [...settleRetriesMs, undefined]) {
    try {
      return await settle();
    } catch (error) {
      if (delayMs === undefined)
        ctx.log.error(
          { session: run.id, reason: messageOf(error) },
          'a model call is not on the account of its session',
        );
      else await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** What the gateway refused, as a person reads it in the session's log. */
export function noteRefusal(attempt: Pick<Attempt, 'events'>, event: GatewayEvent): void {
  if (event.kind === 'refused') attempt.events.warn('gateway_refused', event.message);
}
