import { count, money } from '../../lib/format.ts';
import type { Amount, GroupUsage } from './queries.ts';

/** The amounts that a group can limit, with their words. */
const amounts: readonly (readonly [Amount, string, (value: number) => string])[] = [
  ['cost_usd', 'Cost', money],
  ['tokens', 'Tokens', count],
  ['sessions', 'Sessions', count],
  ['sandbox_minutes', 'Sandbox minutes', (value) => count(Math.round(value * 10) / 10)],
];

export interface Level {
  amount: Amount;
  label: string;
  used: number;
  reserved: number;
  /** Null: unlimited. */
  limit: number | null;
  /** How much of the limit is used or reserved, from 0 to 1; 0 without a limit. */
  share: number;
  write: (value: number) => string;
}

/** Returns what a group has used of each of its limits. */
export function levelsOf({ used, reserved, limits }: Pick<GroupUsage, 'used' | 'reserved' | 'limits'>): Level[] {
  return amounts.map(([amount, label, write]) => {
    const limit = limits.per_day[amount];
    const taken = used[amount] + reserved[amount];
    const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, taken / limit);
    return { amount, label, used: used[amount], reserved: reserved[amount], limit, share, write };
  });
}

/** Returns the limit that will be reached first; undefined without limits. */
export function tightest(levels: readonly Level[]): Level | undefined {
  return levels
    .filter(({ limit }) => limit !== null)
    .toSorted((a, b) => b.share - a.share)
    .at(0);
}
