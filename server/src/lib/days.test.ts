import { describe, expect, test } from 'vitest';
import { addDays, countDays, isDay, nextStart, rangeOf, startOf, startsIn, wholeIntervals } from './days.ts';

const now = new Date('2026-03-10T12:00:00Z');

describe('days', () => {
  test('exist in the calendar', () => {
    expect(['2026-02-28', '2024-02-29', '2026-12-31'].map(isDay)).toEqual([true, true, true]);
    expect(['2026-02-29', '2026-13-01', '2026-1-1', '', '2026-01-01T00:00:00Z'].map(isDay)).not.toContain(true);
  });

  test('are counted over the ends of months and leap years', () => {
    expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(countDays({ from: '2024-01-01', to: '2024-12-31' })).toBe(366);
  });
});

describe('intervals', () => {
  test('weeks begin on Monday, months on the first', () => {
    expect(startOf('week', '2026-03-15')).toBe('2026-03-09');
    expect(startOf('week', '2026-03-16')).toBe('2026-03-16');
    expect(startOf('month', '2026-03-31')).toBe('2026-03-01');
    expect(['2026-01-01', '2026-02-01', '2026-12-01'].map((start) => nextStart('month', start))).toEqual([
      '2026-02-01',
      '2026-03-01',
      '2027-01-01',
    ]);
  });

  test('extend a range to whole ones', () => {
    expect(wholeIntervals('week', { from: '2026-03-11', to: '2026-03-17' })).toEqual({
      from: '2026-03-09',
      to: '2026-03-22',
    });
    expect(startsIn('month', { from: '2025-12-31', to: '2026-02-01' })).toEqual([
      '2025-12-01',
      '2026-01-01',
      '2026-02-01',
    ]);
  });
});

describe('the range of a request', () => {
  test('is the last 30 days by default, and 400 at most', () => {
    expect(rangeOf({}, now)).toEqual({ from: '2026-02-09', to: '2026-03-10' });
    expect(rangeOf({ to: '2026-01-30' }, now)).toEqual({ from: '2026-01-01', to: '2026-01-30' });
    expect(rangeOf({ from: '2026-03-01' }, now)).toEqual({ from: '2026-03-01', to: '2026-03-10' });
    expect(countDays(rangeOf({ from: '2025-01-01', to: '2026-02-04' }, now))).toBe(400);
    expect(() => rangeOf({ from: '2024-12-31', to: '2026-02-04' }, now)).toThrow(
      'at most 399 days before to, 2026-02-04',
    );
  });

  test.each([
    { from: '2025-01-01', to: '2026-02-05' },
    { from: '2026-03-11', to: '2026-03-10' },
    { from: 'yesterday' },
    { to: '2026-02-30' },
    { to: '0001-01-01' },
    { to: '0000-01-01' },
    { from: '0000-01-01', to: '0000-02-28' },
    { to: '9999-12-31' },
  ])('is refused: %o', (query) => {
    expect(() => rangeOf(query, now)).toThrow(/^(query\.)?\/?(from|to)/);
  });
});
