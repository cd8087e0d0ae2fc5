import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  async make({ org, post }) {
    const id = String((await post(`${org}/service-users`, { name: 'x' }))['id']);
    const key = await post(`${org}/service-users/${id}/keys`, { name: 'x', scopes: ['run'] });
    return { 'service-users/{id}': id, 'service-users/{id}/keys/{keyId}': String(key['id']) };
  },
  bodies: { createServiceUser: { name: 'x' }, createServiceUserKey: { name: 'x', scopes: ['run'] } },
  changes: { updateServiceUser: { description: 'Other' } },
});
