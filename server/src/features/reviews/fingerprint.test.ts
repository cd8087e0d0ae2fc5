import { expect, test } from 'vitest';
import { placeFindings } from './fingerprint.ts';

/** Returns the titles that remain of findings on the lines 1, 2 … of a file. */
function kept(...titles: string[]): string[] {
  const findings = titles.map((title, index) => ({
    file: 'a.js',
    line: index + 1,
    severity: 'medium' as const,
    confidence: 1,
    category: `c${index}`,
    title,
    body: '',
  }));
  return placeFindings(findings, new Map()).map(({ title }) => title);
}

test.each([
  ['in other words', 'The connection is never closed', 'The connection is never closed here'],
  [
    'with one name more',
    'The result of `load()` is not awaited',
    'The result of `load()` is not awaited, so `save()` runs before it',
  ],
  ['with the same number', 'The timeout of 30 seconds is too short', 'The timeout of 30 seconds is short'],
])('what a review says twice about lines next to each other is one finding: %s', (_name, first, second) => {
  expect(kept(first, second)).toHaveLength(1);
});

test.each([
  ['names in code', 'The result of `load()` is not awaited', 'The result of `save()` is not awaited'],
  ['names with a dot', 'A failure of store.create is counted as old', 'A failure of store.update is counted as old'],
  ['numbers', 'The lightness was 30% and is 70% now', 'The lightness was 20% and is 50% now'],
])('alike words about different %s are two findings', (_name, first, second) => {
  expect(kept(first, second)).toEqual([first, second]);
});
