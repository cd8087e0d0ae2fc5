import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  async make({ post }) {
    const id = String((await post('/apps', { name: 'x' }))['id']);
    const key = await post(`/apps/${id}/keys`, { name: 'x', scopes: ['run'] });
    return { 'apps/{app_id}': id, 'apps/{app_id}/keys/{key_id}': String(key['id']) };
  },
  bodies: { createAppKey: { name: 'x', scopes: ['run'] } },
});
