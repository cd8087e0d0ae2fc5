import { array, assert, constantFrom, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './lines.ts';

test('lines are the same wherever they were cut', () => {
  assert(
    property(array(constantFrom('\n', 'a', 'bc', 'é')), array(nat(40)), (parts, cuts) => {
      const bytes = Buffer.from(parts.join(''));
      const lines = new LineSplitter(1_000);
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const found = places.flatMap((from, at) =>
        [...lines.push(bytes.subarray(from, places[at + 1] ?? bytes.length))].map((line) => line.toString()),
      );
      expect(found).toEqual(bytes.toString().split('\n').slice(0, -1));
    }),
  );
});

test('a line above the limit is an error, also when it comes byte by byte', () => {
  const lines = new LineSplitter(100);
  for (let at = 0; at < 100; at += 1) expect([...lines.push(Buffer.from('x'))]).toEqual([]);
  expect(() => [...lines.push(Buffer.from('x'))]).toThrow('longer than 100 bytes');
  expect([...new LineSplitter(3).push(Buffer.from('abc\nab\n'))].map(String)).toEqual(['abc', 'ab']);
});
