import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contradictions } from './operations-table.ts';

test('each operation of the contract is served, or named as missing', () => {
  const text = readFileSync(new URL('../../../client/openapi.json', import.meta.url), 'utf8');
  expect(contradictions(JSON.parse(text))).toEqual([]);
});
