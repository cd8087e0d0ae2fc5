import { defineNamespace } from './define.ts';
import { Dollars, Flag, Value } from './fields.ts';

export const budgets = defineNamespace({
  value: Value({
    per_day_usd: Dollars('The maximum cost of all sessions in a day.'),
    per_cycle_usd: Dollars('The maximum cost of all sessions in a billing cycle.'),
    per_session_usd: Dollars('The maximum cost of one session.'),
    hard: Flag(true, 'true: work stops at a limit. false: it continues with a warning.'),
  }),
  enforced: false,
  example: { per_day_usd: 200, per_session_usd: 10 },
});
