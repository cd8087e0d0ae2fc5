/** What a chart stacks: a name, and a value for each of its bars. */
export interface Series {
  name: string;
  values: readonly number[];
  /** It stands for what has no color of its own. */
  isRest?: boolean;
}

const mostSeries = 6;

/** The color of a series by its place; what is left over is gray. */
export function colorOf({ isRest }: Series, at: number): string {
  return isRest !== true && at < mostSeries ? `var(--chart-${at + 1})` : 'var(--ink-3)';
}

/** Returns the heights of all bars. */
export function sums(series: readonly Series[], bars: number): number[] {
  return Array.from({ length: bars }, (_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
}

/** Returns the end of an axis: a round number, of which a half is round too; the half of a count is whole. */
export function axisEnd(most: number, isCount = false): number {
  if (isCount && most < 2) return 2;
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const isRound = (end: number) => end >= most * (1 - 1e-9) && (!isCount || end % 2 === 0);
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((factor) => isRound(factor * power)) ?? 10;
  return Number((step * power).toPrecision(6));
}

/** Returns at most six series: the first ones, and the rest of them as one. */
export function folded(series: readonly Series[], otherName: string): Series[] {
  if (series.length <= mostSeries) return [...series];
  const rest = series.slice(mostSeries - 1);
  const bars = Math.max(...series.map(({ values }) => values.length));
  return [...series.slice(0, mostSeries - 1), { name: otherName, values: sums(rest, bars), isRest: true }];
}
