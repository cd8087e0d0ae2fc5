import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  make: async ({ org, post }) => ({
    'secrets/{id}': String((await post(`${org}/secrets`, { key: 'STOCK', value: 'x' }))['id']),
  }),
  bodies: { createSecret: { key: 'NEW', value: 'x' }, setSecretValue: { value: 'x' }, updateSecret: { note: 'x' } },
  changes: { updateSecret: { note: 'Other' } },
});
