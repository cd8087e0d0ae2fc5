import { expect, test } from 'vitest';
import { sizeOf, sizeWords } from './size.ts';

test('a size counts bytes, not characters, and no space around the text', () => {
  expect([sizeOf('  é🙂\n'), sizeOf('')]).toEqual([6, 0]);
  expect([0, 1, 1_023, 1_536, 245_760].map(sizeWords)).toEqual([
    '0 bytes',
    '1 byte',
    '1023 bytes',
    '1.5 KiB',
    '240 KiB',
  ]);
});
