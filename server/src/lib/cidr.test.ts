import { describe, expect, test } from 'vitest';
import { inRanges, isCidr } from './cidr.ts';

describe('what counts as a range', () => {
  test.each(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1', '0.0.0.0/0'])('%s does', (text) => {
    expect(isCidr(text)).toBe(true);
  });
  test.each(['', '10.0.0.0/33', '10.0.0/8', '2001:db8::/129', '10.0.0.0/8/8', 'localhost', '10.0.0.0/x'])(
    '%j does not',
    (text) => {
      expect(isCidr(text)).toBe(false);
    },
  );
});

test.each([
  ['10.1.2.3', ['10.0.0.0/8'], true],
  ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
  ['11.0.0.1', ['10.0.0.0/8', '192.0.2.7'], false],
  ['192.0.2.7', ['10.0.0.0/8', '192.0.2.7'], true],
  ['2001:db8::1', ['2001:db8::/32'], true],
  ['2001:db9::1', ['2001:db8::/32'], false],
])('%s in %j is %s', (address, ranges, expected) => {
  expect(inRanges(address, ranges)).toBe(expected);
});
