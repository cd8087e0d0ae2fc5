import { defineFixture } from '../../../test/support/fixture.ts';
import { makeRuns } from './runs/fixture.ts';

const minimal = { name: 'x', triggers: [], action: { prompt_template: 'Do it.' } };
const withHook = { ...minimal, triggers: [{ id: '', type: 'webhook' }] };

export const fixture = defineFixture({
  async make({ api, orgId, org, post }) {
    const made = await post(`${org}/automations`, withHook);
    const id = String(made['id']);
    const [hook] = Array.isArray(made['triggers']) ? made['triggers'] : [];
    const runs = await makeRuns(api, orgId, id);
    return { 'automations/{id}': id, 'v3/hooks/{hookId}': String(Object(hook)['id']), ...runs };
  },
  bodies: {
    setExternalExecutor: { url: 'https://example.com/' },
    createAutomation: minimal,
    validateAutomation: { triggers: [] },
    receiveHook: { action: 'opened' },
    reportAutomationRun: { fencing_token: 1, attempt_no: 1, status: 'running' },
  },
  changes: {
    setExternalExecutor: { url: 'https://example.com/' },
    createAutomation: minimal,
    updateAutomation: { name: 'Other' },
    reportAutomationRun: { fencing_token: 1, attempt_no: 1, status: 'succeeded' },
  },
  reads: ['validateAutomation'],
});
