import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { longestEnv, mostRows, parseEnv } from './env.ts';

const pairs = (text: string) => parseEnv(text).rows.map(({ key, value }) => [key, value]);
const problems = (text: string) => parseEnv(text).rows.map(({ problem }) => problem);

test('variables, comments and quotes are read', () => {
  const text = [
    '\uFEFF# of the shop',
    'NPM_TOKEN=abc#1 # for the registry',
    '',
    '  export HOST = "a b" # quoted',
    "SINGLE='a\\nb $HOME'",
    'DOUBLE="a\\nb\\"c\\\\d"',
    'URL=postgres://u:p@db/x?a=b',
    'WINDOWS=yes\r',
  ].join('\n');
  expect(pairs(text)).toEqual([
    ['NPM_TOKEN', 'abc#1'],
    ['HOST', 'a b'],
    ['SINGLE', 'a\\nb $HOME'],
    ['DOUBLE', 'a\nb"c\\d'],
    ['URL', 'postgres://u:p@db/x?a=b'],
    ['WINDOWS', 'yes'],
  ]);
  expect(problems(text)).toEqual(Array.from({ length: 6 }, () => ''));
});

test('a quoted value spans lines, and the lines after it keep their numbers', () => {
  const { rows } = parseEnv('KEY="-----BEGIN\nabc\n-----END"\n\nNEXT=1');
  expect(rows.map(({ line, key, value }) => [line, key, value])).toEqual([
    [1, 'KEY', '-----BEGIN\nabc\n-----END'],
    [5, 'NEXT', '1'],
  ]);
});

test('what cannot be a secret says why', () => {
  expect(problems('1X=a\nno equals sign\nEMPTY=\nOPEN="a\nB=2\nB=3')).toEqual([
    expect.stringContaining('letters, digits and _'),
    'Write it as NAME=value.',
    'It has no value.',
    'The quote " is not closed.',
    'Line 6 sets it again.',
    '',
  ]);
  expect(problems(`LONG=${'é'.repeat(8_193)}`)).toEqual(['The value is longer than 16 KiB.']);
});

test('a long text is read in bounded time, and no more than a scope can hold', () => {
  expect(parseEnv('x'.repeat(longestEnv + 1))).toEqual({ rows: [], cut: expect.stringContaining('256 KiB') });
  const many = Array.from({ length: 5_000 }, (_, at) => `A${at}=1`).join('\n');
  expect(parseEnv(many).rows).toHaveLength(mostRows);
  const began = performance.now();
  parseEnv('A="'.repeat(longestEnv / 3));
  parseEnv('A="\n'.repeat(longestEnv / 4));
  parseEnv(' #\t'.repeat(longestEnv / 3));
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('every value comes back as it was written in quotes', () => {
  const value = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }).filter((text) => !text.includes('\r'));
  fc.assert(
    fc.property(value, (text) => {
      const quoted = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
      expect(pairs(`A="${quoted}"\nB=1`)).toEqual([
        ['A', text],
        ['B', '1'],
      ]);
    }),
  );
});
