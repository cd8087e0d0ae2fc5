import { expect, test } from 'vitest';
import { ago, count, duration, money, shortId } from './format.ts';

test('counts have groups', () => {
  expect([0, 999, 12_000, 1_234_567].map(count)).toEqual(['0', '999', '12\u2009000', '1\u2009234\u2009567']);
});

test('money is to the cent, and what is less says so', () => {
  expect([0, 0.004, 0.01, 0.38, 4.1, 1_234.567].map(money)).toEqual([
    '$0',
    '<$0.01',
    '$0.01',
    '$0.38',
    '$4.10',
    '$1\u2009234.57',
  ]);
});

test('money rounds up to the next dollar', () => {
  expect(money(1.999)).toBe('$2.00');
});

test('durations have their two largest units', () => {
  expect([0, 400, 48_000, 108_000, 3_600_000, 7_500_000, 273_600_000].map(duration)).toEqual([
    '0 s',
    '0 s',
    '48 s',
    '1 m 48 s',
    '1 h',
    '2 h 5 m',
    '3 d 4 h',
  ]);
});

test('times are relative for a day', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  const before = (seconds: number) => ago(new Date(now.getTime() - seconds * 1_000), now);
  expect([10, 240, 3_600 * 5, -7_200].map(before)).toEqual(['now', '4 min', '5 h', 'in 2 h']);
  expect(before(86_400 * 3)).toMatch(/^20 Nov \d\d:\d\d$/);
  expect(before(86_400 * 365)).toMatch(/^23 Nov 2025 \d\d:\d\d$/);
});

test('ids keep their kind and their end', () => {
  expect(shortId('ses_01kabcdefghjkmnpqrstk3f9')).toBe('ses_…k3f9');
  expect(shortId('ses_1')).toBe('ses_1');
});
