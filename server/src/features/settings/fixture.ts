import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  make: () => ({ 'settings/{namespace}': 'run_tags' }),
  changes: { replaceSettings: { allowed: ['x'] } },
});
