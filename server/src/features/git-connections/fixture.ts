import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  async make({ api, org, key }) {
    const { text } = await api.call('GET', `${org}/git-connections`, { key });
    return { 'git-connections/{id}': /gc_\w+/.exec(text)?.[0] ?? '' };
  },
  bodies: { createGitConnection: { provider: 'local' } },
  changes: { createGitConnection: { provider: 'local' }, updateGitConnection: { name: 'Other' } },
});
