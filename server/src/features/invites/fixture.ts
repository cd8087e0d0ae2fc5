import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  // The token is a secret rather than an id: its holder needs no other permission.
  async make({ api, org, key }) {
    const { text } = await api.call('POST', `${org}/members/invites`, { key, body: { emails: ['link@example.com'] } });
    return { 'v3/invites/{token}': /\/invites\/([\w-]{43})/.exec(text)?.[1] ?? '' };
  },
});
