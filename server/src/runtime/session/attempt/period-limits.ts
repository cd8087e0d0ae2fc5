import { spendingFinding } from '../../../features/guardrails/public.ts';
import { explainLimit, type PeriodLimit } from '../../../features/sessions/dispatch/limit-service.ts';
import { toMillionth } from '../../../lib/rounded.ts';
import type { Attempt } from './attempt.ts';
import { recordFound } from './guardrails.ts';

/** Writes to the log that a limit of the organization or of a repository is reached; of a repository it is a violation. */
export async function reportLimit(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'secrets' | 'events'>,
  period: PeriodLimit,
): Promise<void> {
  const { limit, used, allowed, day } = period;
  if (day !== undefined) {
    const finding = { repository: day.repository, finding: spendingFinding(day) };
    await recordFound(attempt, [finding], { isFatal: false });
  }
  attempt.events.warn('budget_exceeded', explainLimit(period));
  attempt.events.write({ kind: 'budget', data: { limit, used: toMillionth(used), allowed } });
}

/** The limits that an attempt was warned of. */
const warned = new WeakMap<object, Set<string>>();

/** Warns of limits that are not hard, once per attempt each. */
export function warnOfLimits({ run, events }: Pick<Attempt, 'run' | 'events'>, limits: readonly PeriodLimit[]): void {
  const told = warned.get(run) ?? new Set();
  warned.set(run, told);
  for (const period of limits) {
    if (told.has(period.limit)) continue;
    told.add(period.limit);
    events.warn('budget_exceeded', explainLimit(period));
  }
}
