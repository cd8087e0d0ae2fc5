import { defineFixture, madeIn } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  after: ['members'],
  async make({ org, post, values }) {
    const id = String((await post(`${org}/groups`, { name: 'x' }))['id']);
    await post(`${org}/groups/${id}/members`, { user_ids: [madeIn({ values }, 'members/{userId}')] });
    return { 'groups/{id}': id };
  },
  bodies: {
    createGroup: { name: 'x' },
    replaceGroupMembers: { user_ids: [] },
    addGroupMembers: { user_ids: [] },
    removeGroupMembers: { user_ids: [] },
  },
  changes: {
    updateGroup: { description: 'Other' },
    // The replacement removes the member before.
    addGroupMembers: ({ values }) => ({ user_ids: [madeIn({ values }, 'members/{userId}')] }),
  },
});
