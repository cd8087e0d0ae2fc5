import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { describeTypes } from '../../../scripts/db-types.ts';
import { createTestDatabase } from '../../test/support/database.ts';

const { database, drop } = await createTestDatabase();
afterAll(drop);

test('the committed table types are those of the migrated schema', async () => {
  const committed = readFileSync(new URL('types.ts', import.meta.url), 'utf8');
  expect(committed, 'run `npm run db-types`').toBe(await describeTypes(database.pool));
});
