import { defineFixture, madeIn } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  after: ['members'],
  make: ({ values }) => ({ 'roles/{userId}': madeIn({ values }, 'members/{userId}') }),
  changes: { setRoleAssignment: { email: 'admin@localhost', role: 'pro' } },
});
