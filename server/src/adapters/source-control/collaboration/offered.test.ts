import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { providers } from '../../../lib/providers.ts';
import { offered, offeredTable } from './offered.ts';

test('the documentation has what each provider offers', () => {
  const text = readFileSync(new URL('../../../../../docs/git-hosts.md', import.meta.url), 'utf8');
  expect(text).toContain(offeredTable(providers));
});

test('no member is named twice', () => {
  for (const members of Object.values(offered)) expect(members).toEqual([...new Set(members)]);
});
