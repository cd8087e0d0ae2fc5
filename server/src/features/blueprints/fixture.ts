import { defineFixture, madeIn } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  after: ['agents'],
  make: ({ values }) => ({ 'blueprints/{id}': madeIn({ values }, 'agents/{agent_id}').replace('agt_', 'bp_') }),
  bodies: { diffBlueprints: { from: { id: 'bp_none' }, to: { id: 'bp_none' } } },
  reads: ['diffBlueprints'],
});
