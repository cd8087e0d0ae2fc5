import { expect, test } from 'vitest';
import { budgetOf, doubled } from './budget.ts';

test('limits are doubled, and an emptied one ends', () => {
  expect(doubled({ max_cost_usd: 0.37, max_turns: 4 })).toEqual({ max_cost_usd: '0.74', max_turns: '8' });
  expect(budgetOf({ max_cost_usd: '1.5', max_turns: ' ', other: '3' })).toEqual({ max_cost_usd: 1.5 });
});
