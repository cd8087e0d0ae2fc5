import { defineFixture } from '../../../test/support/fixture.ts';

/** The change request is created with the session that proposed it. */
export const fixture = defineFixture({
  make: async ({ org, post }) => ({
    'repositories/{id}': String((await post(`${org}/repositories`, { provider: 'local', repo: 'acme/stock' }))['id']),
  }),
  bodies: {
    createRepository: { provider: 'local', repo: 'acme/new' },
    commentOnChangeRequest: { body: 'x' },
    updateChangeRequestComment: { resolved: true },
  },
  queries: { searchRepository: () => '?kind=path&q=.' },
  changes: {
    createRepository: { provider: 'local', repo: 'acme/new' },
    updateChangeRequestComment: { resolved: true },
    updateRepository: { environment: { setup_command: 'true' } },
  },
});
