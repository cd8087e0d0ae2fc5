import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  after: ['sessions', 'repositories'],
  make: async () => ({}),
  bodies: { actOnFollow: { action: 'watch' } },
  changes: { replaceFollowPolicy: { mode: 'off' }, actOnFollow: { action: 'watch' } },
});
