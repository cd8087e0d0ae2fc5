import { describe, expect, test } from 'vitest';
import { dueRuns } from './due-runs.ts';
import { dueTimes, isMoreFrequent, nextTimes, scheduleProblem } from './schedule.ts';

const schedule = (cron: string, timezone = 'UTC') => ({ type: 'schedule', cron, timezone, at: '' });
const texts = (times: readonly Date[]): string[] => times.map((time) => time.toISOString().replace(':00.000Z', 'Z'));

/** Zone, expression, a time, and the next times: in UTC. */
const table: [string, string, string, string[]][] = [
  // The clock goes from 2:00 to 3:00 on 29 March.
  ['Europe/Berlin', '30 2 * * *', '2026-03-28T00:00Z', ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z']],
  ['Europe/Berlin', '0 * * * *', '2026-03-28T23:30Z', ['2026-03-29T00:00Z', '2026-03-29T01:00Z', '2026-03-29T02:00Z']],
  [
    'Europe/Berlin',
    '*/30 * * * *',
    '2026-03-29T00:10Z',
    ['2026-03-29T00:30Z', '2026-03-29T01:00Z', '2026-03-29T01:30Z'],
  ],
  // And back from 3:00 to 2:00 on 25 October.
  ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
  ['Europe/Berlin', '0 * * * *', '2026-10-24T23:30Z', ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z']],
  ['America/New_York', '0 9 * * 1-5', '2026-03-06T20:00Z', ['2026-03-09T13:00Z', '2026-03-10T13:00Z']],
  ['America/New_York', '30 1 * * *', '2026-10-31T12:00Z', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
  // Half an hour.
  ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T00:00Z', ['2026-10-03T15:30Z', '2026-10-04T15:15Z']],
  ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
  // The clock changes at midnight.
  ['America/Santiago', '0 0 * * *', '2026-09-05T12:00Z', ['2026-09-06T04:00Z', '2026-09-07T03:00Z']],
  ['Africa/Cairo', '0 0 * * *', '2026-04-23T12:00Z', ['2026-04-23T22:00Z', '2026-04-24T21:00Z']],
  // No changes, and no whole hours.
  ['Asia/Kathmandu', '0 6 * * *', '2026-06-01T00:00Z', ['2026-06-01T00:15Z', '2026-06-02T00:15Z']],
  ['UTC', '0 0 29 2 *', '2026-03-01T00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
  ['UTC', '0 0 * * 7', '2026-11-20T00:00Z', ['2026-11-22T00:00Z', '2026-11-29T00:00Z']],
];

test.each(table)('%s: %s after %s', (timezone, cron, after, expected) => {
  expect(texts(nextTimes(schedule(cron, timezone), new Date(after), expected.length))).toEqual(expected);
});

test.each([
  ['', 'UTC', 'cron'],
  ['* * * *', 'UTC', 'cron'],
  ['* * * * * *', 'UTC', 'cron'],
  ['@daily', 'UTC', 'cron'],
  ['60 * * * *', 'UTC', 'cron'],
  ['0 0 31 2 *', 'UTC', 'cron'],
  ['0 0 * * *', 'Mars/Olympus', 'timezone'],
  ['0 0 * * *', '+02:00', 'timezone'],
])('%j in %j is refused', (cron, timezone, field) => {
  expect(scheduleProblem({ cron, timezone }, new Date('2026-01-01T00:00Z'))?.field).toBe(field);
});

test.each([
  ['* * * * *', 1],
  ['0,5 0 * * *', 5],
  ['0 0 * * *', 1_440],
])('%s leaves %d minutes between two times', (cron, minutes) => {
  const from = new Date('2026-03-20T00:00Z');
  expect([minutes, minutes + 1].map((least) => isMoreFrequent(cron, least, from))).toEqual([false, true]);
});

describe('after a day without a scheduler', () => {
  const due = new Date('2026-05-01T00:00Z');
  const now = new Date('2026-05-02T00:00:30Z');
  const trigger = { id: 'hook_1', conditions: [], ...schedule('*/10 * * * *'), type: 'schedule' as const };
  const rule = (missed_runs: 'skip' | 'run_once' | 'catch_up', at = now) =>
    dueRuns({ due_at: due, last_due_at: null, missed_runs, state: 'active', trigger }, at, 1);

  test('run_once makes one run', () => {
    expect(rule('run_once')).toEqual({
      runs: [new Date('2026-05-02T00:00Z')],
      next: new Date('2026-05-02T00:10Z'),
    });
  });

  test('skip makes one for the latest time, only while it is not too late', () => {
    expect(texts(rule('skip').runs)).toEqual(['2026-05-02T00:00Z']);
    const later = rule('skip', new Date('2026-05-02T00:06Z'));
    expect(later).toMatchObject({ runs: [], next: new Date('2026-05-02T00:10Z') });
    expect(later.skipped?.at).toEqual(new Date('2026-05-02T00:00Z'));
  });

  test('catch_up makes one for each time, in steps', () => {
    const times: Date[] = [];
    let at: Date | undefined = due;
    while (at !== undefined && at <= now) {
      const step = dueRuns(
        { due_at: at, last_due_at: null, missed_runs: 'catch_up', state: 'active', trigger },
        now,
        1,
      );
      times.push(...step.runs);
      at = step.next;
    }
    expect(times).toHaveLength(145);
    expect(new Set(texts(times)).size).toBe(145);
    expect(at).toEqual(new Date('2026-05-02T00:10Z'));
  });

  test('a suspended organization gets none', () => {
    const found = dueRuns(
      { due_at: due, last_due_at: null, missed_runs: 'catch_up', state: 'suspended', trigger },
      now,
      1,
    );
    expect(found).toEqual({ runs: [], next: new Date('2026-05-02T00:10Z') });
  });
});

describe('a schedule that is more frequent than the settings allow', () => {
  const trigger = { id: 'hook_1', conditions: [], ...schedule('*/5 * * * *'), type: 'schedule' as const };
  const found = (due: string, last: string, now = due, missed_runs: 'run_once' | 'catch_up' = 'run_once') => {
    const last_due_at = last === '' ? null : new Date(last);
    return dueRuns({ due_at: new Date(due), last_due_at, missed_runs, state: 'active', trigger }, new Date(now), 15);
  };

  test('skips the times that come too soon, and says why', () => {
    expect(texts(found('2026-05-01T00:00Z', '').runs)).toEqual(['2026-05-01T00:00Z']);
    expect(found('2026-05-01T00:05Z', '2026-05-01T00:00Z')).toEqual({
      runs: [],
      skipped: { at: new Date('2026-05-01T00:05Z'), reason: expect.stringContaining('every 15 minutes') },
      next: new Date('2026-05-01T00:15Z'),
    });
    expect(texts(found('2026-05-01T00:15Z', '2026-05-01T00:00Z').runs)).toEqual(['2026-05-01T00:15Z']);
  });

  test('makes up for missed times as often as the settings allow', () => {
    const { runs, next } = found('2026-05-01T00:00Z', '', '2026-05-01T01:01Z', 'catch_up');
    const times = ['00:00', '00:15', '00:30', '00:45', '01:00'].map((time) => `2026-05-01T${time}Z`);
    expect([texts(runs), next]).toEqual([times, new Date('2026-05-01T01:15Z')]);
  });

  test('is not one that a change of the clock brings closer', () => {
    const daily = { ...trigger, cron: '30 1 * * *', timezone: 'Europe/London' };
    const due = new Date('2026-03-29T01:00Z');
    const last_due_at = new Date('2026-03-28T01:30Z');
    const runs = dueRuns(
      { due_at: due, last_due_at, missed_runs: 'skip', state: 'active', trigger: daily },
      due,
      1_440,
    );
    expect(runs).toMatchObject({ runs: [due] });
  });
});

test('years of missed minutes are found at once', () => {
  const { times } = dueTimes(
    schedule('* * * * *', 'Europe/Berlin'),
    new Date('2020-01-01T00:00Z'),
    new Date('2026-05-02T00:00:30Z'),
    1_440,
  );
  expect(times).toHaveLength(1_440);
  expect(texts(times.slice(-1))).toEqual(['2026-05-02T00:00Z']);
});
