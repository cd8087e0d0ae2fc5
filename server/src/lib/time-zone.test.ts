import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localDay, nextMidnight, parseTimeZone } from './time-zone.ts';

describe('a time zone', () => {
  test.each([
    ['UTC', 'UTC'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ])('%s is one', (name, known) => expect(parseTimeZone(name)).toBe(known));

  test.each(['', '+02:00', 'UTC+2', 'Mars/Olympus', 'Europe', 'Europe/Berlin ', "UTC'; drop"])('%j is none', (name) =>
    expect(parseTimeZone(name)).toBeUndefined(),
  );
});

describe('a day', () => {
  test.each([
    ['2026-11-21T22:59:59.999Z', 'Europe/Berlin', '2026-11-21'],
    ['2026-11-21T23:00:00.000Z', 'Europe/Berlin', '2026-11-22'],
    ['2026-06-30T14:59:59.999Z', 'Asia/Tokyo', '2026-06-30'],
    ['2026-01-01T07:59:59.999Z', 'America/Los_Angeles', '2025-12-31'],
  ])('at %s in %s is %s', (instant, zone, day) => expect(localDay(new Date(instant), zone)).toBe(day));

  test.each([
    // Clocks change at 2:00 and at 3:00: days of 23 and of 25 hours.
    ['2026-03-28T23:00:00.000Z', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-24T22:00:00.000Z', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    // 0:00 did not exist: clocks went from 23:59 to 1:00.
    ['2018-11-03T12:00:00.000Z', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    // Clocks went back from 0:00 to 23:00, so the day was an hour longer.
    ['2018-02-18T01:30:00.000Z', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
    // A change of half an hour, and a skipped day.
    ['2026-04-04T12:00:00.000Z', 'Australia/Lord_Howe', '2026-04-04T13:00:00.000Z'],
    ['2011-12-30T09:00:00.000Z', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('from %s in %s ends at %s', (instant, zone, midnight) =>
    expect(nextMidnight(new Date(instant), zone).toISOString()).toBe(midnight),
  );

  test('ends where the next one begins, in every zone', () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const ms = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(zone, ms, (timeZone, at) => {
        const midnight = nextMidnight(new Date(at), timeZone).getTime();
        expect(midnight).toBeGreaterThan(at);
        expect(midnight - at).toBeLessThanOrEqual(26 * 3_600_000);
        expect(localDay(new Date(midnight - 1), timeZone)).toBe(localDay(new Date(at), timeZone));
        expect(localDay(new Date(midnight), timeZone) > localDay(new Date(at), timeZone)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
