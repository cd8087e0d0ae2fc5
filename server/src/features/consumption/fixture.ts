import { defineFixture, madeIn } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  after: ['members', 'service-users', 'sessions', 'groups'],
  make: async ({ api, org, key, values }) => {
    const price = { input_per_mtok: 1, output_per_mtok: 2 };
    await api.call('PUT', `${org}/settings/models`, { key, body: { prices: { 'acme/small': price } } });
    return {
      'consumption/daily/users/{id}': madeIn({ values }, 'members/{userId}'),
      'consumption/daily/service-users/{id}': madeIn({ values }, 'service-users/{id}'),
      'consumption/daily/sessions/{id}': madeIn({ values }, 'sessions/{id}'),
      'consumption/daily/groups/{id}': madeIn({ values }, 'groups/{id}'),
      'consumption/cycles/{id}':
        /cyc_\w+/.exec((await api.call('GET', `${org}/consumption/cycles`, { key })).text)?.[0] ?? '',
    };
  },
});
