import { expect, test } from 'vitest';
import { addressesIn } from './words.ts';

test('addresses are parted by commas, semicolons, spaces and lines, and counted once', () => {
  expect(addressesIn(' ada@example.com, grace@example.com;\nada@example.com\t\n')).toEqual([
    'ada@example.com',
    'grace@example.com',
  ]);
  expect(addressesIn(' \n')).toEqual([]);
});
