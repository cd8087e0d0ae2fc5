import { join } from '../../../test/support/members.ts';
import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  async make({ api, org, orgId, key }) {
    const userId = await join(api, orgId, 'member');
    const { text } = await api.call('POST', `${org}/members/invites`, { key, body: { emails: ['x@example.com'] } });
    return { 'members/{userId}': userId, 'members/invites/{id}': /inv_\w+/.exec(text)?.[0] ?? '' };
  },
  bodies: { createInvites: { emails: ['x@example.com'] }, updateMember: { permission: 'viewer' } },
  changes: {
    createInvites: { emails: ['someone@example.com'], permission: 'member' },
    updateMember: { permission: 'viewer' },
  },
});
