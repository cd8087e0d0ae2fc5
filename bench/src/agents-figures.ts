/** The median and the slow end of many measurements, in milliseconds. */
export interface Spread {
  p50: number;
  p95: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { p50: quantile(values, 0.5), p95: quantile(values, 0.95) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}
