import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { excessOf, JsonGauge } from './json-limits.ts';

function valuesIn(value: unknown): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return inner.reduce((sum: number, part) => sum + valuesIn(part), 1);
}

test('a JSON text goes beyond a limit exactly when its value does, in whatever pieces it comes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 8 }), fc.nat(4), (value, length, indent) => {
      const bytes = Buffer.from(JSON.stringify(value, undefined, indent));
      const values = valuesIn(value);
      const of = (limit: number) => excessOf(bytes, { values: limit, depth: 1_000 });
      expect([of(values), of(values - 1)]).toEqual([undefined, `contains more than ${values - 1} values`]);
      const gauge = new JsonGauge({ values: values - 1, depth: 1_000 });
      let said: string | undefined;
      for (let at = 0; at < bytes.length; at += length) said = gauge.push(bytes.subarray(at, at + length));
      expect(said).toBe(of(values - 1));
    }),
  );
});

test('lists and objects in one another count, and brackets in strings do not', () => {
  const of = (text: string) => excessOf(Buffer.from(text), { values: 100, depth: 2 });
  expect([of('[[]]'), of('[{"a":[]}]'), of(String.raw`["[[[\"[[[",{"{{{":"\\"}]`)]).toEqual([
    undefined,
    'is nested deeper than 2 levels',
    undefined,
  ]);
});
