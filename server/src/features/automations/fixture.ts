import { defineFixture } from '../../../test/support/fixture.ts';
import { makeRuns } from './runs/fixture.ts';

const minimal = { name: 'x', triggers: [], action: { prompt_template: 'Do it.' } };

export const fixture = defineFixture({
  async make({ api, orgId, org, post }) {
    const id = String((await post(`${org}/automations`, minimal))['id']);
    const runs = await makeRuns(api, orgId, id);
    return { 'automations/{id}': id, ...runs };
  },
  bodies: {
    createAutomation: minimal,
    validateAutomation: { triggers: [] },
    reportAutomationRun: { fencing_token: 1, attempt_no: 1, status: 'running' },
  },
  changes: {
    createAutomation: minimal,
    updateAutomation: { name: 'Other' },
    reportAutomationRun: { fencing_token: 1, attempt_no: 1, status: 'succeeded' },
  },
  reads: ['validateAutomation'],
});
