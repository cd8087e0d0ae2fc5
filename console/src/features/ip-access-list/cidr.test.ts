import { describe, expect, test } from 'vitest';
import { isInside, parseAddress, parseRange } from './cidr.ts';

describe('addresses', () => {
  test.each([
    '',
    'localhost',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '1:2:3',
    ':::',
    '1::2::3',
    '::12345',
    '1:2:3:4:5:6:7:8:9',
  ])('%j is none', (text) => expect(parseAddress(text)).toBeUndefined());

  test('forms of one address are equal', () => {
    expect(parseAddress('::ffff:10.1.2.3')).toBe(parseAddress('10.1.2.3'));
    expect(parseAddress('2001:DB8:0:0::5')).toBe(parseAddress('2001:db8::5'));
  });

  test('a long text is refused at once', () => {
    expect(parseAddress(`${'1:'.repeat(100_000)}1`)).toBeUndefined();
  });
});

describe('ranges', () => {
  test.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0.0/-1'])('%j is none', (text) =>
    expect(parseRange(text)).toBeUndefined(),
  );

  test.each([
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['11.1.2.3', ['10.0.0.0/8'], false],
    ['10.1.2.3', ['10.1.2.3'], true],
    ['10.1.2.4', ['10.1.2.3'], false],
    ['127.0.0.1', ['0.0.0.0/0'], true],
    ['127.0.0.1', ['::/0'], false],
    ['127.0.0.1', ['::ffff:127.0.0.0/104'], true],
    ['2001:db8::5', ['2001:db8::/32'], true],
    ['2001:db9::5', ['2001:db8::/32'], false],
    ['10.1.2.3', ['nonsense', '10.1.2.0/24'], true],
    ['10.1.2.3', [], false],
  ])('%s in %j: %s', (address, ranges, expected) => expect(isInside(address, ranges)).toBe(expected));
});
