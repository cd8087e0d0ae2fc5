import { describe, expect, test } from 'vitest';
import { canonicalAddress, canonicalCidr, inRanges, isCidr } from './cidr.ts';

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
  ['::ffff:a01:203', ['10.0.0.0/8'], true],
  ['10.1.2.3', ['::ffff:10.0.0.0/104'], true],
  ['10.1.2.3', ['::/0'], false],
  ['::ffff:10.1.2.3', ['::/0'], false],
  ['2001:db8::1', ['0.0.0.0/0'], false],
  ['fe80::1%eth0', ['fe80::/10'], true],
  ['somewhere', ['0.0.0.0/0', '::/0'], false],
  ['2001:db8::1', ['2001:db8::/32'], true],
  ['2001:db9::1', ['2001:db8::/32'], false],
])('%s in %j is %s', (address, ranges, expected) => {
  expect(inRanges(address, ranges)).toBe(expected);
});

test.each([
  ['192.0.2.7', '192.0.2.7/32'],
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['255.255.255.255/0', '0.0.0.0/0'],
  ['203.0.113.255/31', '203.0.113.254/31'],
  ['2001:0DB8:0:0::1', '2001:db8::1/128'],
  ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3/128'],
  ['::', '::/128'],
  ['ffff::1/0', '::/0'],
  ['::ffff:10.1.2.3', '10.1.2.3/32'],
  ['::FFFF:a01:203/104', '10.0.0.0/8'],
  ['0:0:0:0:0:ffff:10.1.2.3/96', '0.0.0.0/0'],
  ['::ffff:0:0/95', '::fffe:0:0/95'],
  ['64:ff9b::192.0.2.1', '64:ff9b::c000:201/128'],
])('%s in canonical form is %s, and stays so', (text, canonical) => {
  expect(canonicalCidr(text)).toBe(canonical);
  expect(canonicalCidr(canonical)).toBe(canonical);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:DB8::0:1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['', ''],
  ['192.0.2.7/32', ''],
  ['010.0.0.1', ''],
])('the address %j in canonical form is %j', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
});
