import { defineFixture } from '../../../test/support/fixture.ts';

/** The change request is created with the session that proposed it. */
export const fixture = defineFixture({
  make: async ({ org, post }) => ({
    'repositories/{id}': String((await post(`${org}/repositories`, { provider: 'local', repo: 'acme/stock' }))['id']),
  }),
  bodies: {
    createRepository: { provider: 'local', repo: 'acme/new' },
    commentOnChangeRequest: { body: 'x' },
    setCommitStatus: { sha: '0'.repeat(40), name: 'ci', state: 'success' },
    updateChangeRequestComment: { resolved: true },
  },
  queries: {
    listCommitStatuses: () => `?sha=${'0'.repeat(40)}`,
    searchRepository: () => '?kind=path&q=.',
  },
  changes: {
    createRepository: { provider: 'local', repo: 'acme/new' },
    setCommitStatus: { sha: '0'.repeat(40), name: 'ci', state: 'success' },
    updateChangeRequestComment: { resolved: true },
    updateRepository: { environment: { setup_command: 'true' } },
  },
});
