import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  make: async ({ post }) => ({ 'agents/{agent_id}': String((await post('/agents', { name: 'x' }))['id']) }),
  bodies: { updateAgent: { name: 'x' } },
});
