import { expect, test } from 'vitest';
import { linesOf, writtenLines } from './lines.ts';

test('lines are in the address and come back from it', () => {
  for (const written of ['10', '10-14', 'old3-4']) {
    const lines = linesOf('a b.ts', written);
    expect(lines === undefined ? '' : writtenLines(lines)).toBe(written);
  }
  expect(linesOf('a', 'old3-9')).toEqual({ path: 'a', side: 'old', from: 3, to: 9 });
  expect(linesOf('a', '9-3')).toMatchObject({ from: 9, to: 9 });
  expect(['', '-1', 'x', '10-', 'old', undefined].map((written) => linesOf('a', written))).toEqual(
    Array(6).fill(undefined),
  );
});
