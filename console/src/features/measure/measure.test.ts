import { expect, test } from 'vitest';
import { axisEnd, folded, sums } from './chart.ts';
import { changeWord, groupRows, seriesOf, ungrouped, type Daily } from './consumption/rows.ts';
import { csvOf } from './csv.ts';
import { headFigures, timeWord } from './metrics/topics.ts';
import { amount, share } from './numbers.ts';
import { before, daysIn, lastCycle, lastDays, onCourseFor, thisCycle } from './period.ts';

const now = new Date('2026-03-02T23:30:00Z');

test('periods are days in UTC, with both ends', () => {
  expect(thisCycle(now)).toEqual({ from: '2026-03-01', to: '2026-03-02' });
  expect(lastCycle(now)).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  expect(lastDays(7, now)).toEqual({ from: '2026-02-24', to: '2026-03-02' });
  expect(before({ from: '2026-03-01', to: '2026-03-10' })).toEqual({ from: '2026-02-19', to: '2026-02-28' });
  expect(daysIn({ from: '2026-03-28', to: '2026-03-30' })).toBe(3);
});

test('a cycle is on course for what its days make of it, but not after one day', () => {
  const cycle = { start: '2026-03-01', end: '2026-03-31', cost_usd: 4 };
  expect(onCourseFor(cycle, now)).toBe(62);
  expect(onCourseFor(cycle, new Date('2026-03-01T12:00:00Z'))).toBeUndefined();
});

test('a file has exact values, and runs nothing in a spreadsheet', () => {
  expect(
    csvOf([
      ['Group', 'Cost'],
      ['=HYPERLINK("x")', 0.123456],
      ['a, "b"', null],
      ['+1', -3],
    ]),
  ).toBe('Group,Cost\r\n"\'=HYPERLINK(""x"")",0.123456\r\n"a, ""b""",\r\n\'+1,-3\r\n');
});

test('numbers have three digits, and what has no cases says so', () => {
  expect([0, 999, 12_400, 3_100_000, 2_000_000_000].map(amount)).toEqual(['0', '999', '12.4k', '3.1M', '2G']);
  expect([share(0), share(0.714), share(null)]).toEqual(['0 %', '71 %', 'no cases']);
  expect([timeWord(0.42), timeWord(250), timeWord(null)]).toEqual(['0.4 s', '4 m 10 s', 'no cases']);
});

test('an axis ends above its highest bar', () => {
  expect([0, 0.3, 1, 10.8, 151, 990].map((most) => axisEnd(most))).toEqual([1, 0.3, 1, 15, 200, 1_000]);
  expect([0, 1, 3, 10, 15, 151].map((most) => axisEnd(most, true))).toEqual([2, 2, 4, 10, 20, 200]);
  expect(axisEnd(Number.NaN)).toBe(1);
});

const use = (cost: number) => ({
  calls: cost === 0 ? 0 : 1,
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cost_usd: cost,
  sandbox_minutes: 0,
});

function daily(
  by: Daily['group_by'],
  costs: Record<string, [number, number]>,
  all: [number, number],
  groupsTotal?: number,
): Daily {
  const days = (values: [number, number]) => values.map((cost, at) => ({ date: `2026-03-0${at + 1}`, ...use(cost) }));
  const groups = Object.entries(costs).map(([id, values]) => ({
    id,
    name: id,
    totals: { ...use(values[0] + values[1]), calls: 1 },
    days: days(values),
  }));
  return {
    from: '2026-03-01',
    to: '2026-03-02',
    group_by: by,
    totals: { ...use(all[0] + all[1]), calls: groups.length + 1 },
    days: days(all),
    groups,
    groups_total: groupsTotal ?? groups.length,
    rest: { totals: use(0), days: days([0, 0]) },
  };
}

test('the groups, the rest, and what belongs to none are all that was used', () => {
  const shown = daily('repo', { 'acme/a': [0.1, 0.2], 'acme/b': [0, 1] }, [0.1, 1.5]);
  expect(ungrouped(shown)?.totals.cost_usd).toBeCloseTo(0.3, 6);
  const series = seriesOf(shown, 'cost');
  expect(series.map(({ name }) => name)).toEqual(['acme/a', 'acme/b', 'Without a repository']);
  expect(sums(series, 2)[0]).toBeCloseTo(0.1, 6);
  expect(sums(series, 2)[1]).toBeCloseTo(1.5, 6);
  const rows = groupRows(shown, daily('repo', { 'acme/a': [0.1, 0] }, [0.1, 0]));
  expect(rows.map(({ name, costBefore }) => [name, costBefore])).toEqual([
    ['acme/a', 0.1],
    ['acme/b', 0],
    ['Without a repository', 0],
  ]);
  expect(ungrouped(daily('tag', { a: [1, 1] }, [3, 3]))).toBeUndefined();
});

test('more than six series are five and the rest, and names stay distinct', () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ name: `s${at}`, values: [at] }));
  const shown = folded(many, 'others');
  expect(shown.map(({ name }) => name)).toEqual(['s0', 's1', 's2', 's3', 's4', 'others']);
  expect(shown.at(-1)?.values).toEqual([5 + 6 + 7 + 8]);
});

test('a change is in percent, and a start from nothing is new', () => {
  expect([changeWord(12, 10), changeWord(5, 10), changeWord(3, 0), changeWord(0, 0), changeWord(1, undefined)]).toEqual(
    ['+20 %', '−50 %', 'new', '', ''],
  );
});

test('a summary without anything has no cases, never 0 %', () => {
  const none = { count: 0, p50_seconds: null, p95_seconds: null };
  const figures = headFigures({
    sessions: {
      created: 0,
      completed: 0,
      failed: 0,
      canceled: 0,
      success_rate: null,
      queue_wait: none,
      checked: 0,
      verified_first_time: 0,
      verified_first_time_rate: null,
      waiting_for_people: none,
      waiting_for_people_seconds: 0,
    },
    change_requests: {
      opened: 0,
      merged: 0,
      closed: 0,
      merge_rate: null,
      time_to_change_request: none,
      time_to_merge: none,
      edited_after_delivery: 0,
      edited_after_delivery_rate: null,
      cost_usd: 0,
      cost_per_merged_usd: null,
    },
    usage: use(0),
  });
  expect(figures.map(({ value }) => value)).toEqual(['no cases', 'no cases', 'no cases', 'no cases', 'no cases', '0']);
});
