import { defineNamespace } from './define.ts';
import { Dollars, Flag, Value } from './fields.ts';

export const budgets = defineNamespace({
  value: Value({
    per_day_usd: Dollars('The maximum cost of all sessions in a day (UTC).'),
    per_cycle_usd: Dollars('The maximum cost of all sessions in a billing cycle (the month in UTC).'),
    per_session_usd: Dollars("The maximum and the default of a session's `budget.max_cost_usd`."),
    hard: Flag(
      true,
      'true: a new session is rejected, and a model call of another one suspends it. false: work continues with a warning.',
    ),
  }),
  enforced: true,
  example: { per_day_usd: 200, per_session_usd: 10 },
});
