import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  make: async ({ org, post }) => ({
    'views/{id}': String((await post(`${org}/views`, { list: 'sessions', name: 'Failed' }))['id']),
  }),
  bodies: { createView: { list: 'sessions', name: 'Other' } },
});
