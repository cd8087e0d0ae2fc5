import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  make: async ({ org, post }) => ({
    'ip-access-list/entries/{id}': String(
      (await post(`${org}/ip-access-list/entries`, { cidr: '192.0.2.0/24' }))['id'],
    ),
  }),
  bodies: {
    replaceIpAccessList: { enabled: false, entries: [] },
    addIpAccessEntry: { cidr: '198.51.100.0/24' },
  },
  queries: { checkIpAccess: () => '?ip=192.0.2.7' },
  changes: {
    addIpAccessEntry: { cidr: '198.51.100.0/24' },
    replaceIpAccessList: { enabled: false, entries: [{ cidr: '198.51.100.0/25' }] },
  },
});
