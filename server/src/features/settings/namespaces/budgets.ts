import { defineNamespace } from './define.ts';
import { Dollars, Flag, titled, Value } from './fields.ts';

const dollars = { unit: 'US dollars', group: 'Limits' };

export const budgets = defineNamespace({
  title: 'Budgets',
  value: Value({
    per_day_usd: titled('Per day', Dollars('The maximum cost of all sessions in a day (UTC).'), dollars),
    per_cycle_usd: titled(
      'Per billing cycle',
      Dollars('The maximum cost of all sessions in a billing cycle (the month in UTC).'),
      dollars,
    ),
    per_session_usd: titled(
      'Per session',
      Dollars("The maximum and the default of a session's `budget.max_cost_usd`."),
      dollars,
    ),
    hard: titled(
      'Stop at the limit',
      Flag(
        true,
        'true: a new session is rejected, and a model call of another one suspends it. false: work continues with a warning.',
      ),
      { group: 'Beyond a limit' },
    ),
  }),
  enforced: true,
  example: { per_day_usd: 200, per_session_usd: 10 },
});
