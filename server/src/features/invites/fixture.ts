import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  // The token is a secret rather than an id: its holder needs no other permission.
  make: () => ({ 'v3/invites/{token}': 'none' }),
});
