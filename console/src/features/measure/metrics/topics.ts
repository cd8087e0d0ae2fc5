import type { Schemas } from '../../../lib/api.ts';
import { count, duration, money } from '../../../lib/format.ts';
import type { FigureColumn } from '../FigureTable.tsx';
import { amount, noCases, share } from '../numbers.ts';

type Times = { count: number; p50_seconds: number | null; p95_seconds: number | null };

/** An interval's numbers, whatever they are about. */
export type Numbers = Record<string, unknown> & { start: string };

/** A topic: what the chart stacks, and the columns of its table. */
export interface TopicInfo {
  label: string;
  /** Names and fields of the series of the chart. */
  series: readonly (readonly [string, string])[];
  columns: readonly FigureColumn<Numbers>[];
  /** Of the chart; counts by default. */
  format?: (value: number) => string;
}

/** Returns a number of an interval; 0 if it has none. */
export function numberOf(row: Numbers, field: string): number {
  const value = row[field];
  return typeof value === 'number' ? value : 0;
}

function counted(name: string, field: string): FigureColumn<Numbers> {
  return { name, end: true, value: (row) => numberOf(row, field), show: (row) => count(numberOf(row, field)) };
}

function rate(name: string, field: string): FigureColumn<Numbers> {
  const of = (row: Numbers) => (typeof row[field] === 'number' ? row[field] : null);
  return { name, end: true, value: of, show: (row) => share(of(row)) };
}

function cost(name: string, field: string): FigureColumn<Numbers> {
  const of = (row: Numbers) => (typeof row[field] === 'number' ? row[field] : null);
  return {
    name,
    end: true,
    value: of,
    show: (row) => {
      const usd = of(row);
      return usd === null ? noCases : money(usd);
    },
  };
}

function seconds(name: string, field: string, part: 'p50_seconds' | 'p95_seconds'): FigureColumn<Numbers> {
  const of = (row: Numbers) => timesOf(row[field])?.[part] ?? null;
  return { name, end: true, value: of, show: (row) => timeWord(of(row)) };
}

function timesOf(value: unknown): Times | undefined {
  const { count: cases, p50_seconds, p95_seconds }: Partial<Times> = Object(value);
  return cases === undefined
    ? undefined
    : { count: cases, p50_seconds: p50_seconds ?? null, p95_seconds: p95_seconds ?? null };
}

/** Returns a time in words; below ten seconds to a tenth. */
export function timeWord(value: number | null): string {
  if (value === null) return noCases;
  return value < 10 ? `${Math.round(value * 10) / 10} s` : duration(value * 1_000);
}

export const topicInfos: Record<
  'sessions' | 'change-requests' | 'usage' | 'automations' | 'reviews' | 'active-users',
  TopicInfo
> = {
  sessions: {
    label: 'Sessions',
    series: [
      ['Completed', 'completed'],
      ['Failed', 'failed'],
      ['Canceled', 'canceled'],
    ],
    columns: [
      counted('Created', 'created'),
      counted('Completed', 'completed'),
      counted('Failed', 'failed'),
      counted('Canceled', 'canceled'),
      rate('Succeeded', 'success_rate'),
      counted('Checked', 'checked'),
      rate('Verified first time', 'verified_first_time_rate'),
      seconds('Queue p50', 'queue_wait', 'p50_seconds'),
      seconds('Queue p95', 'queue_wait', 'p95_seconds'),
      seconds('Waited for people p50', 'waiting_for_people', 'p50_seconds'),
    ],
  },
  'change-requests': {
    label: 'Change requests',
    series: [
      ['Merged', 'merged'],
      ['Closed', 'closed'],
    ],
    columns: [
      counted('Opened', 'opened'),
      counted('Merged', 'merged'),
      counted('Closed', 'closed'),
      rate('Merge rate', 'merge_rate'),
      seconds('Time to it p50', 'time_to_change_request', 'p50_seconds'),
      seconds('p95', 'time_to_change_request', 'p95_seconds'),
      seconds('Time to merge p50', 'time_to_merge', 'p50_seconds'),
      rate('Edited by hand', 'edited_after_delivery_rate'),
      cost('Cost a merged one', 'cost_per_merged_usd'),
    ],
  },
  usage: {
    label: 'Use',
    series: [['Cost', 'cost_usd']],
    format: money,
    columns: [
      counted('Calls', 'calls'),
      counted('Tokens in', 'input_tokens'),
      counted('Tokens out', 'output_tokens'),
      counted('cached', 'cached_input_tokens'),
      { ...counted('Sandbox minutes', 'sandbox_minutes'), show: (row) => amount(numberOf(row, 'sandbox_minutes')) },
      cost('Cost', 'cost_usd'),
    ],
  },
  automations: {
    label: 'Automations',
    series: [
      ['Succeeded', 'runs_succeeded'],
      ['Failed', 'runs_failed'],
      ['Timed out', 'runs_timed_out'],
      ['Canceled', 'runs_canceled'],
      ['Skipped', 'runs_skipped'],
    ],
    columns: [
      counted('Runs succeeded', 'runs_succeeded'),
      counted('Failed', 'runs_failed'),
      counted('Timed out', 'runs_timed_out'),
      counted('Skipped', 'runs_skipped'),
      rate('Runs that succeed', 'run_success_rate'),
      seconds('Run p50', 'run_duration', 'p50_seconds'),
      counted('Sessions', 'sessions'),
      rate('Sessions that succeed', 'success_rate'),
      counted('Change requests', 'change_requests_opened'),
      rate('Merge rate', 'merge_rate'),
    ],
  },
  reviews: {
    label: 'Reviews',
    series: [
      ['Completed', 'completed'],
      ['Failed', 'failed'],
      ['Canceled', 'canceled'],
    ],
    columns: [
      counted('Requested', 'requested'),
      counted('Completed', 'completed'),
      counted('Failed', 'failed'),
      counted('Canceled', 'canceled'),
      rate('Succeeded', 'success_rate'),
      seconds('Queue p95', 'queue_wait', 'p95_seconds'),
    ],
  },
  'active-users': {
    label: 'Active users',
    series: [['Active users', 'active_users']],
    columns: [counted('Active users', 'active_users')],
  },
};

type Summary = Schemas['SummaryMetrics']['totals'];

/** Returns the figures at the top of the page. */
export function headFigures({ sessions, change_requests: requests }: Summary) {
  const of = (cases: number, word: string) => `of ${count(cases)} ${word}`;
  return [
    {
      name: 'Verified first time',
      value: share(sessions.verified_first_time_rate),
      note: of(sessions.checked, 'checked sessions'),
    },
    {
      name: 'Merge rate',
      value: share(requests.merge_rate),
      note: of(requests.merged + requests.closed, 'change requests'),
    },
    {
      name: 'Cost of a merged change',
      value: requests.cost_per_merged_usd === null ? noCases : money(requests.cost_per_merged_usd),
      note: 'with all sessions of these days',
    },
    {
      name: 'Time to change request',
      value: timeWord(requests.time_to_change_request.p50_seconds),
      note: `p95 ${timeWord(requests.time_to_change_request.p95_seconds)}`,
    },
    {
      name: 'Wait in the queue',
      value: timeWord(sessions.queue_wait.p50_seconds),
      note: `p95 ${timeWord(sessions.queue_wait.p95_seconds)}`,
    },
    {
      name: 'Sessions',
      value: count(sessions.created),
      note: sessions.success_rate === null ? 'none ended' : `${share(1 - sessions.success_rate)} failed`,
    },
  ];
}
