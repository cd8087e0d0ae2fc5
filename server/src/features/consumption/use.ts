import { daysIn, type DayRange } from '../../lib/days.ts';
import { toMillionth } from '../../lib/rounded.ts';
import type { UseRow } from './store.ts';

/** The use of something, as the API returns it. */
export interface Use {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  cost_usd: number;
  sandbox_minutes: number;
}

const none: Use = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cost_usd: 0,
  sandbox_minutes: 0,
};

/** Returns the use of a row; of none, zeros. */
export function useOf(row: UseRow | undefined): Use {
  if (row === undefined) return none;
  const { calls, input_tokens, output_tokens, cached_input_tokens, cache_write_tokens } = row;
  return {
    calls,
    input_tokens,
    output_tokens,
    cached_input_tokens,
    cache_write_tokens,
    cost_usd: toMillionth(Number(row.cost_usd)),
    sandbox_minutes: toMillionth(Number(row.sandbox_seconds) / 60),
  };
}

function combined(a: Use, b: Use, sign: 1 | -1): Use {
  return {
    calls: a.calls + sign * b.calls,
    input_tokens: a.input_tokens + sign * b.input_tokens,
    output_tokens: a.output_tokens + sign * b.output_tokens,
    cached_input_tokens: a.cached_input_tokens + sign * b.cached_input_tokens,
    cache_write_tokens: a.cache_write_tokens + sign * b.cache_write_tokens,
    cost_usd: toMillionth(a.cost_usd + sign * b.cost_usd),
    sandbox_minutes: toMillionth(a.sandbox_minutes + sign * b.sandbox_minutes),
  };
}

export function totalOf(uses: readonly Use[]): Use {
  return uses.reduce((total, use) => combined(total, use, 1), none);
}

/** Use by day, and its total. */
export interface Series {
  totals: Use;
  days: ({ date: string } & Use)[];
}

/** Returns every day of a range; days without use are zeros. */
export function seriesOf(range: DayRange, rows: readonly (UseRow & { day: string })[]): Series {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const days = daysIn(range).map((date) => ({ date, ...useOf(byDay.get(date)) }));
  return { totals: totalOf(days), days };
}

/** Returns what remains of a series without others of the same range. */
export function without(all: Series, others: readonly Series[]): Series {
  const days = all.days.map((day, at) =>
    others.reduce((left, { days: taken }) => {
      const other = taken[at];
      return other === undefined ? left : { date: left.date, ...combined(left, other, -1) };
    }, day),
  );
  return { totals: totalOf(days), days };
}
