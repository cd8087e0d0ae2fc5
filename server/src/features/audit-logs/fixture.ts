import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  // The log has entries by then.
  after: ['service-users'],
  async make({ api, org, key }) {
    const { text } = await api.call('GET', `${org}/audit-logs`, { key });
    return { 'audit-logs/{id}': /aud_\w+/.exec(text)?.[0] ?? '' };
  },
});
