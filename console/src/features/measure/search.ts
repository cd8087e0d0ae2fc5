import { textsOf } from '../../lib/list.ts';
import { isDay, type Period } from './period.ts';

export const groupings = ['user', 'service_user', 'repo', 'model', 'automation', 'tag'] as const;
export type Grouping = (typeof groupings)[number];

export const measures = ['cost', 'tokens', 'minutes'] as const;
export type Measure = (typeof measures)[number];

export const topics = ['sessions', 'change-requests', 'usage', 'automations', 'reviews', 'active-users'] as const;
export type Topic = (typeof topics)[number];

export const intervals = ['day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

/** What the address of the consumption says. */
export interface ConsumptionSearch extends Partial<Period> {
  by?: Grouping;
  what?: Measure;
  rows?: 'days';
}

/** What the address of the metrics says. */
export interface MetricsSearch extends Partial<Period> {
  what?: Topic;
  every?: Interval;
  repo?: string;
  tag?: string;
}

export function consumptionSearchOf(search: Record<string, unknown>): ConsumptionSearch {
  const by = groupings.find((one) => one === search['by']);
  const what = measures.find((one) => one === search['what']);
  return {
    ...daysOf(search),
    ...(by === undefined ? {} : { by }),
    ...(what === undefined ? {} : { what }),
    ...(search['rows'] === 'days' ? { rows: 'days' as const } : {}),
  };
}

export function metricsSearchOf(search: Record<string, unknown>): MetricsSearch {
  const what = topics.find((one) => one === search['what']);
  const every = intervals.find((one) => one === search['every']);
  return {
    ...daysOf(search),
    ...textsOf(search, ['repo', 'tag']),
    ...(what === undefined ? {} : { what }),
    ...(every === undefined ? {} : { every }),
  };
}

function daysOf(search: Record<string, unknown>): Partial<Period> {
  const { from, to } = textsOf(search, ['from', 'to']);
  return {
    ...(from !== undefined && isDay(from) ? { from } : {}),
    ...(to !== undefined && isDay(to) ? { to } : {}),
  };
}
