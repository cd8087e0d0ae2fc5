import type { Kysely } from 'kysely';
import type { DB } from '../../../db/types.ts';
import {
  costLimit,
  requireAllowed,
  requiresPlanApproval,
  rulesOf,
  type GuardedRules,
} from '../../guardrails/public.ts';
import type { Budget, CreateSession, StoredRepository } from '../schemas/session-schemas.ts';
import type { SessionRow } from '../store/session-store.ts';

type Origin = SessionRow['origin'];

/** Returns the guardrails of a session's repositories. */
export async function guardrailsOf(
  db: Kysely<DB>,
  orgId: string,
  repositories: readonly StoredRepository[],
): Promise<GuardedRules[]> {
  const guarded = repositories.map(({ repository_id: id, provider, repo }) => ({ id, provider, repo }));
  return rulesOf(db, orgId, guarded);
}

/** Returns the input of a new session as the guardrails require it. Throws 403 `guardrail_blocked`. */
export function underGuardrails<T extends CreateSession>(
  guarded: readonly GuardedRules[],
  origin: Origin,
  input: T,
): T {
  requireAllowed(guarded, { origin, maxCostUsd: input.budget?.max_cost_usd });
  const asksFirst = requiresPlanApproval(guarded) && (input.mode ?? 'build') === 'build';
  return asksFirst ? { ...input, require_plan_approval: true } : input;
}

/** Returns a budget with the highest cost that the guardrails allow. */
export function budgetUnder(guarded: readonly GuardedRules[], budget: Budget): Budget {
  const limit = costLimit(guarded);
  return limit === undefined ? budget : { ...budget, max_cost_usd: Math.min(budget.max_cost_usd ?? limit, limit) };
}

/** Throws 403 `guardrail_blocked` for the budget of an existing session. */
export function requireBudgetAllowed(guarded: readonly GuardedRules[], origin: Origin, budget: Budget): void {
  // Its origin was checked when it was created.
  const rules = guarded.map((one) => ({ ...one, rules: { ...one.rules, allowed_origins: [] } }));
  requireAllowed(rules, { origin, maxCostUsd: budget.max_cost_usd });
}
