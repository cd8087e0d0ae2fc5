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

/** Dollars and minutes have six decimals. */
export const millionths = 1_000_000;

const none: Use = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cost_usd: 0,
  sandbox_minutes: 0,
};

export function minutesOf(seconds: number): number {
  return seconds / 60;
}

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
    sandbox_minutes: toMillionth(minutesOf(Number(row.sandbox_seconds))),
  };
}

export function totalOf(uses: Iterable<Use>): Use {
  const total = { ...none };
  for (const use of uses) {
    total.calls += use.calls;
    total.input_tokens += use.input_tokens;
    total.output_tokens += use.output_tokens;
    total.cached_input_tokens += use.cached_input_tokens;
    total.cache_write_tokens += use.cache_write_tokens;
    total.cost_usd += use.cost_usd;
    total.sandbox_minutes += use.sandbox_minutes;
  }
  return { ...total, cost_usd: toMillionth(total.cost_usd), sandbox_minutes: toMillionth(total.sandbox_minutes) };
}
