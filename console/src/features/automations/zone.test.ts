import { expect, test } from 'vitest';
import { fromLocalField, shiftWords, timesIn, toLocalField } from './zone.ts';

test('times are those of the zone, and a change of its clocks is marked', () => {
  // 02:30 in Berlin each night; on 28 March 2027 it does not exist.
  const times = ['2027-03-27T01:30:00Z', '2027-03-28T01:00:00Z', '2027-03-29T00:30:00Z'];
  expect(timesIn('Europe/Berlin', times)).toEqual([
    { at: times[0], local: 'Sat 27 Mar 2027 02:30', offset: 'UTC+01:00', shiftMinutes: 0 },
    { at: times[1], local: 'Sun 28 Mar 2027 03:00', offset: 'UTC+02:00', shiftMinutes: 60 },
    { at: times[2], local: 'Mon 29 Mar 2027 02:30', offset: 'UTC+02:00', shiftMinutes: 0 },
  ]);
});

test('clocks are set back, also by half an hour, and west of Greenwich', () => {
  const autumn = timesIn('America/New_York', ['2026-10-31T12:00:00Z', '2026-11-02T12:00:00Z']);
  expect(autumn.map(({ offset, shiftMinutes }) => [offset, shiftMinutes])).toEqual([
    ['UTC−04:00', 0],
    ['UTC−05:00', -60],
  ]);
  const island = timesIn('Australia/Lord_Howe', ['2027-04-01T00:00:00Z', '2027-04-06T00:00:00Z']);
  expect(island[1]?.shiftMinutes).toBe(-30);
  expect([60, -60, -30, 90].map(shiftWords)).toEqual([
    'Clocks go forward by 1 h',
    'Clocks go back by 1 h',
    'Clocks go back by 30 min',
    'Clocks go forward by 90 min',
  ]);
});

test('an unknown zone, and none, are UTC', () => {
  for (const zone of ['', 'Mars/Base', 'Europe/'])
    expect(timesIn(zone, ['2026-01-01T00:00:00Z'])[0]).toMatchObject({
      local: 'Thu 1 Jan 2026 00:00',
      offset: 'UTC+00:00',
    });
});

test('a time of a field is that of the reader, and comes back', () => {
  const at = '2027-07-01T09:30:00.000Z';
  expect(fromLocalField(toLocalField(at))).toBe(at);
  expect([toLocalField(null), fromLocalField('')]).toEqual(['', null]);
});
