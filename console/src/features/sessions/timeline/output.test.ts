import { expect, test } from 'vitest';
import { linesOf, needsTerminal, plain } from './output.ts';

test('lines keep their colors and lose what moves a cursor', () => {
  expect(linesOf('\u001b[2J\u001b[31mred\u001b[0m\n\u001b]0;title\u0007next\r\n')).toEqual([
    '\u001b[31mred\u001b[0m',
    'next',
  ]);
  expect(plain('\u001b[1;38;5;200mbold\u001b[m')).toBe('bold');
});

test('a line that was written again and again is its last version', () => {
  expect(linesOf('10%\r20%\r100%\ndone')).toEqual(['100%', 'done']);
});

test('long data in an address is named, not shown', () => {
  const [line = ''] = linesOf(`a data:image/png;base64,${'A'.repeat(5_000)} b`);
  expect(line).toMatch(/^a \[data, \d kB\] b$/);
});

test('hostile output takes linear time', () => {
  const start = performance.now();
  for (const part of ['\u001b[', '\u001b]x', 'data:', 'data:a;base64,', '\r', '\u001b[31m'])
    linesOf(part.repeat(200_000));
  expect(performance.now() - start).toBeLessThan(2_000);
});

test('a progress display needs a terminal, colored lines do not', () => {
  expect(needsTerminal('a\u001b[2A\u001b[Kb')).toBe(true);
  expect(needsTerminal('\u001b[31ma\u001b[0m\r\n')).toBe(false);
});
