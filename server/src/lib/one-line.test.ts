import { expect, test } from 'vitest';
import { oneLine, plainLines } from './one-line.ts';

test.each([
  ['Def\u202eault\u001b[2J', 'Default[2J'],
  ['  two\r\n\tlines\u2028more ', 'two lines more'],
  ['\u2066a\u2069\u200e\u200f\u061c\u0007\u009bb', 'ab'],
  ['Zoë 日本 👩‍💻 שלום', 'Zoë 日本 👩‍💻 שלום'],
  ['\u202e\u0000', ''],
  ['\u200b', ''],
  [' \ufeff\u2060\u00ad\u3164\u2800\u{e0020} ', ''],
  ['\u200ba', '\u200ba'],
])('%j is shown as %j', (text, shown) => {
  expect(oneLine(text)).toBe(shown);
});

test('several lines stay lines, with nothing that steers a terminal', () => {
  expect(plainLines('  a\u001b[2J\u009b1m\r\n\tb\rc\u202e\n')).toBe('  a[2J1m\n\tbc\n');
});
