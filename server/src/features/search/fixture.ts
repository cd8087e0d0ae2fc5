import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({ queries: { searchOrganization: () => '?q=a' } });
