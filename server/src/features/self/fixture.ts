import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  make: async ({ post }) => ({
    'v3/self/keys/{keyId}': String((await post('/v3/self/keys', { name: 'x', scopes: ['run'] }))['id']),
    'v3/self/preferences/{name}': 'theme',
  }),
  bodies: { replacePreference: { value: { dark: true } } },
  changes: { replacePreference: { value: { dark: false } } },
});
