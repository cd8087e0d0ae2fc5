import { defineFixture } from '../../../test/support/fixture.ts';

const minimal = { name: 'x', triggers: [], action: { prompt_template: 'Do it.' } };

export const fixture = defineFixture({
  async make({ org, post }) {
    return { 'automations/{id}': String((await post(`${org}/automations`, minimal))['id']) };
  },
  bodies: {
    createAutomation: minimal,
    validateAutomation: { triggers: [] },
  },
  changes: {
    createAutomation: minimal,
    updateAutomation: { name: 'Other' },
  },
  reads: ['validateAutomation'],
});
