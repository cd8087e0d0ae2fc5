import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({ queries: { search: () => '?q=a' } });
