import type { Session } from '../../../lib/api.ts';

export type Budget = Session['budget'];
export type LimitName = keyof Budget;

/** The limits with their names and the step in which they are entered. */
export const limits: readonly { name: LimitName; label: string; step: number }[] = [
  { name: 'max_cost_usd', label: 'Cost, in US dollars', step: 0.01 },
  { name: 'max_tokens', label: 'Tokens', step: 1 },
  { name: 'max_minutes', label: 'Minutes', step: 1 },
  { name: 'max_turns', label: 'Turns', step: 1 },
];

/** Returns the doubled limits: what is entered for a start. */
export function doubled(budget: Budget): Record<string, string> {
  return Object.fromEntries(
    limits.flatMap(({ name }) => {
      const limit = budget[name];
      return limit === undefined ? [] : [[name, String(Math.round(limit * 200) / 100)]];
    }),
  );
}

/** Returns the limits that were entered; an empty one no longer holds. */
export function budgetOf(entered: Readonly<Record<string, string>>): Budget {
  const budget: Budget = {};
  for (const { name } of limits) {
    const text = entered[name]?.trim() ?? '';
    if (text !== '') budget[name] = Number(text);
  }
  return budget;
}
