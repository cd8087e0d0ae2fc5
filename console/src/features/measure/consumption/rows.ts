import type { Schemas } from '../../../lib/api.ts';
import { folded, type Series } from '../chart.ts';
import type { Grouping, Measure } from '../search.ts';

export type Daily = Schemas['DailyConsumption'];
export type Use = Daily['totals'];

/** A line of the table of groups. */
export interface GroupRow {
  /** '' for what is no group of its own. */
  id: string;
  name: string;
  totals: Use;
  /** The cost in the period before; undefined where it is not known. */
  costBefore: number | undefined;
}

/** Returns the value of a measure. */
export function valueOf(measure: Measure, use: Use): number {
  if (measure === 'cost') return use.cost_usd;
  return measure === 'tokens' ? use.input_tokens + use.output_tokens : use.sandbox_minutes;
}

const rest = 'All others';

/** The name of what belongs to no group. */
function withoutWord(by: Grouping): string {
  const words: Record<Grouping, string> = {
    user: 'Not of a user',
    service_user: 'Not of a service user',
    repo: 'Without a repository',
    model: 'Without a model',
    automation: 'Not of an automation',
    tag: 'Without a tag',
  };
  return words[by];
}

/** Returns what belongs to no group; undefined if nothing does, or if groups overlap, as tags do. */
export function ungrouped({
  totals,
  days,
  groups,
  rest: others,
  group_by: by,
}: Daily): { totals: Use; days: Use[] } | undefined {
  if (by === '' || by === 'tag') return undefined;
  const left = (whole: Use, parts: readonly (Use | undefined)[]): Use => ({
    calls: minus(whole.calls, parts, 'calls'),
    input_tokens: minus(whole.input_tokens, parts, 'input_tokens'),
    output_tokens: minus(whole.output_tokens, parts, 'output_tokens'),
    cached_input_tokens: minus(whole.cached_input_tokens, parts, 'cached_input_tokens'),
    cache_write_tokens: minus(whole.cache_write_tokens, parts, 'cache_write_tokens'),
    cost_usd: minus(whole.cost_usd, parts, 'cost_usd'),
    sandbox_minutes: minus(whole.sandbox_minutes, parts, 'sandbox_minutes'),
  });
  const sum = left(totals, [...groups.map((group) => group.totals), others.totals]);
  if (Object.values(sum).every((value) => value === 0)) return undefined;
  return {
    totals: sum,
    days: days.map((day, at) => left(day, [...groups.map((group) => group.days[at]), others.days[at]])),
  };
}

/** Subtracts what floating-point numbers allow: less than a millionth is nothing. */
function minus(whole: number, parts: readonly (Use | undefined)[], name: keyof Use): number {
  const left = parts.reduce((sum, part) => sum - (part?.[name] ?? 0), whole);
  return left < 1e-6 ? 0 : Math.round(left * 1e6) / 1e6;
}

/** Returns the lines of the table of groups. */
export function groupRows(daily: Daily, before: Daily | undefined): GroupRow[] {
  const { group_by: by, groups, groups_total: total, rest: others } = daily;
  if (by === '') return [];
  const costs = new Map(before?.groups.map(({ id, totals }) => [id, totals.cost_usd]));
  const knowsAll = before !== undefined && before.groups_total <= before.groups.length;
  const none = ungrouped(daily);
  const noneBefore = before === undefined ? undefined : ungrouped(before);
  return [
    ...groups.map(({ id, name, totals }) => ({
      id,
      name: name === '' ? 'gone' : name,
      totals,
      costBefore: costs.get(id) ?? (knowsAll ? 0 : undefined),
    })),
    ...(total > groups.length
      ? [{ id: '', name: `${rest} (${total - groups.length})`, totals: others.totals, costBefore: undefined }]
      : []),
    ...(none === undefined
      ? []
      : [
          {
            id: '',
            name: withoutWord(by),
            totals: none.totals,
            costBefore: before === undefined ? undefined : (noneBefore?.totals.cost_usd ?? 0),
          },
        ]),
  ];
}

/** Returns what the chart stacks: the groups that cost most, and the rest of them as one. */
export function seriesOf(daily: Daily, measure: Measure): Series[] {
  const of = (days: readonly Use[]) => days.map((day) => valueOf(measure, day));
  if (daily.group_by === '') return [{ name: 'All', values: of(daily.days) }];
  const none = ungrouped(daily);
  const all = [
    ...daily.groups.map(({ id, name, days }) => ({ name: name === '' ? `gone (${id})` : name, values: of(days) })),
    ...(daily.groups_total > daily.groups.length ? [{ name: rest, values: of(daily.rest.days), isRest: true }] : []),
    ...(none === undefined ? [] : [{ name: withoutWord(daily.group_by), values: of(none.days) }]),
  ];
  return distinct(folded(all, rest));
}

/** Two groups may have one name. */
function distinct(series: Series[]): Series[] {
  return series.map((one, at) =>
    series.findIndex(({ name }) => name === one.name) === at ? one : { ...one, name: `${one.name} (${at + 1})` },
  );
}

/** Returns a change as `+12 %`, `new`, or `` where nothing can be said. */
export function changeWord(now: number, before: number | undefined): string {
  if (before === undefined) return '';
  if (before === 0) return now === 0 ? '' : 'new';
  const percent = Math.round(((now - before) / before) * 100);
  return percent === 0 ? '0 %' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}
