import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  // A secret rather than an id: whoever has it needs no other right.
  make: () => ({ 'v3/invites/{token}': 'none' }),
});
