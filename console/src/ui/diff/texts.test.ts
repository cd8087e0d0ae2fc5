import { expect, test } from 'vitest';
import { compare } from './texts.ts';

test('the lines that differ are found', () => {
  const { hunks, additionLines, deletionLines } = compare('note.md', { before: 'a\nb\nc\n', after: 'a\nB\nc\n' });
  expect(hunks).toHaveLength(1);
  expect([hunks[0]?.additionLines, hunks[0]?.deletionLines]).toEqual([1, 1]);
  expect([deletionLines.join(''), additionLines.join('')]).toEqual(['a\nb\nc\n', 'a\nB\nc\n']);
});

test('texts without anything in common are compared in bounded time', () => {
  const text = (letter: string) => Array.from({ length: 40_000 }, (_, at) => `${letter}${at}`).join('\n');
  const began = performance.now();
  const { hunks } = compare('x', { before: text('a'), after: text('b') });
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(hunks[0]?.deletionLines).toBe(40_000);
});
