import { expect, test } from 'vitest';
import { endOfDay } from './day.ts';

test.each([
  ['2026-06-01', 'UTC', '2026-06-02T00:00:00.000Z'],
  ['2026-06-01', 'Europe/Berlin', '2026-06-01T22:00:00.000Z'],
  ['2026-12-31', 'Europe/Berlin', '2026-12-31T23:00:00.000Z'],
  ['2026-06-01', 'America/New_York', '2026-06-02T04:00:00.000Z'],
  ['2026-06-01', 'Asia/Kolkata', '2026-06-01T18:30:00.000Z'],
  // The clocks change on 29 March and on 25 October.
  ['2026-03-28', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
])('%s in %s ends at %s', (day, zone, end) => expect(endOfDay(day, zone).toISOString()).toBe(end));
