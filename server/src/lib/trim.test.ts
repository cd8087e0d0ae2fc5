import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { outside } from './outside.ts';
import { slugOf } from './slug.ts';
import { trimEndOf, trimOf } from './trim.ts';

const text = fc.string({ unit: fc.constantFrom('-', 'a', '\n', '<', '>') });

test('what is trimmed is what an expression would take away', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(trimEndOf(value, '-')).toBe(value.replace(/-+$/, ''));
      expect(trimOf(value, '-')).toBe(value.replace(/^-+/, '').replace(/-+$/, ''));
    }),
  );
});

test('what lies outside of stretches is what an expression would leave', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(outside(value, '<a', '>').join('')).toBe(value.replaceAll(/<a[^>]*>/g, ''));
    }),
  );
});

test('what is made to take long takes no longer than its length', () => {
  const long = 1_000_000;
  expect(trimOf(`${'-'.repeat(long)}a${'-'.repeat(long)}b`, '-')).toHaveLength(long + 2);
  expect(outside('<!--'.repeat(long), '<!--', '-->')).toHaveLength(1);
  expect(outside('<!---->'.repeat(long / 10), '<!--', '-->').join('')).toBe('');
});

test.each([
  ['Déploying on Fridays!', 40, 'deploying-on-fridays'],
  ['  --  ', 40, ''],
  ['one two three', 8, 'one-two'],
  ['日本', 40, ''],
])('%j in %i is %j', (title, length, slug) => {
  expect(slugOf(title, length)).toBe(slug);
});
