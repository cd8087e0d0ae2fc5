import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  changes: { updateOrganization: { name: 'Renamed' } },
  queries: { deleteOrganization: ({ orgId }) => `?confirm=${orgId}` },
});
