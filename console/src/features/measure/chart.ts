/** What a chart stacks: a name, and a value for each of its bars. */
export interface Series {
  name: string;
  values: readonly number[];
}

export const mostSeries = 6;

/** The color of a series by its place; what is beyond, and what is left over, is gray. */
export function colorOf(at: number): string {
  return at < mostSeries ? `var(--chart-${at + 1})` : 'var(--ink-3)';
}

/** Returns the heights of all bars. */
export function sums(series: readonly Series[], bars: number): number[] {
  return Array.from({ length: bars }, (_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
}

/** Returns the end of an axis: the next of 1, 2 or 5 times a power of ten. */
export function axisEnd(most: number): number {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= most * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** Returns at most six series: the first ones, and the rest of them as one. */
export function folded(series: readonly Series[], otherName: string): Series[] {
  if (series.length <= mostSeries) return [...series];
  const rest = series.slice(mostSeries - 1);
  const bars = Math.max(...series.map(({ values }) => values.length));
  return [...series.slice(0, mostSeries - 1), { name: otherName, values: sums(rest, bars) }];
}
