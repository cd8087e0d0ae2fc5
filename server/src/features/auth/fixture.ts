import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  // The installation has no provider.
  make: () => ({ 'v3/auth/sso/{provider}': 'none' }),
  // Without a sign-in there is nothing to end.
  reads: ['signOut'],
});
