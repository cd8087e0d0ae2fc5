import { daysIn, type DayRange } from '../../lib/days.ts';
import type { UseColumns } from './store.ts';
import { millionths, minutesOf, type Use } from './use.ts';

/** The number of fields of {@link Use}. */
const width = 7;

/**
 * The use of each day, its fields side by side in the order of {@link Use}. Dollars and minutes are in millionths: sums and
 * differences are exact.
 */
export type Amounts = Float64Array;

/** Returns the amounts of so many days; days without use are zeros. */
export function amountsOf(dayCount: number, columns: UseColumns | undefined): Amounts {
  const amounts = new Float64Array(dayCount * width);
  columns?.at.forEach((day, row) => {
    const first = day * width;
    amounts[first] = columns.calls[row] ?? 0;
    amounts[first + 1] = columns.input_tokens[row] ?? 0;
    amounts[first + 2] = columns.output_tokens[row] ?? 0;
    amounts[first + 3] = columns.cached_input_tokens[row] ?? 0;
    amounts[first + 4] = columns.cache_write_tokens[row] ?? 0;
    amounts[first + 5] = Math.round((columns.cost_usd[row] ?? 0) * millionths);
    amounts[first + 6] = Math.round(minutesOf(columns.sandbox_seconds[row] ?? 0) * millionths);
  });
  return amounts;
}

/** Returns what remains of amounts without others of the same days. */
export function without(all: Amounts, others: readonly Amounts[]): Amounts {
  const rest = all.slice();
  for (const other of others) for (let at = 0; at < rest.length; at += 1) rest[at] = (rest[at] ?? 0) - (other[at] ?? 0);
  return rest;
}

/** Use by day, and its total. */
export interface Series {
  totals: Use;
  days: ({ date: string } & Use)[];
}

/** Returns a function that returns every day of a range with its amounts. */
export function seriesIn(range: DayRange): (amounts: Amounts) => Series {
  const dates = daysIn(range);
  return (amounts) => ({
    totals: useAt(totalOf(amounts), 0),
    days: dates.map((date, at) => ({ date, ...useAt(amounts, at * width) })),
  });
}

function totalOf(amounts: Amounts): Amounts {
  const total = new Float64Array(width);
  for (let at = 0; at < amounts.length; at += 1) total[at % width] = (total[at % width] ?? 0) + (amounts[at] ?? 0);
  return total;
}

function useAt(amounts: Amounts, first: number): Use {
  return {
    calls: amounts[first] ?? 0,
    input_tokens: amounts[first + 1] ?? 0,
    output_tokens: amounts[first + 2] ?? 0,
    cached_input_tokens: amounts[first + 3] ?? 0,
    cache_write_tokens: amounts[first + 4] ?? 0,
    cost_usd: (amounts[first + 5] ?? 0) / millionths,
    sandbox_minutes: (amounts[first + 6] ?? 0) / millionths,
  };
}
