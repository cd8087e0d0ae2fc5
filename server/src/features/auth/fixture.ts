import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  // Of the installation: none is configured.
  make: () => ({ 'v3/auth/sso/{provider}': 'none' }),
  // Without a sign-in there is none to end.
  reads: ['signOut'],
});
