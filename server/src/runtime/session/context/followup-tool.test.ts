import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';
import { startAutomationRuns } from '../../../features/automations/runs/jobs.ts';

const organization = '/v3/organizations/default';

const call = (name: string, input: Record<string, unknown>) => ({ call: { name, input } });

let fixture: ModelFixture;
beforeAll(async () => {
  fixture = await createModelFixture();
  startAutomationRuns(fixture.api.ctx);
  await fixture.worker();
});
afterAll(() => fixture.close());

async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fixture.api.call(method, `${organization}${path}`, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json;
}

/** Runs an automation whose agent schedules follow-ups; returns the outputs of its tools. */
async function runAutomation(followups: boolean): Promise<{ id: string; outputs: string[] }> {
  await ask('PUT', '/settings/automations', { followups });
  const prompt = script(
    [
      call('schedule_followup', { minutes: 0, note: '' }),
      call('schedule_followup', { minutes: 45, note: 'Look at the build again.' }),
    ],
    { say: 'Done.' },
  );
  const { id } = await ask('POST', '/automations', {
    name: 'watch',
    triggers: [],
    action: { prompt_template: prompt, deliver: 'none' },
  });
  const { run } = await ask('POST', `/automations/${String(id)}/trigger`, {});
  const path = `/automations/runs/${String(Object(run).id)}`;
  await expect.poll(() => ask('GET', path), { timeout: 60_000 }).toMatchObject({ status: 'succeeded' });
  const events = await fixture.events(String((await ask('GET', path))['session_id']));
  const results = events.filter(({ kind }) => kind === 'tool_result');
  return { id: String(id), outputs: results.map(({ data }) => String(data['output'])) };
}

/** The runs of an automation that an agent scheduled and that are not due yet. */
async function waiting(id: string): Promise<unknown> {
  return (await ask('GET', `/automations/${id}/runs?status=scheduled`))['items'];
}

test('an agent schedules another run of its automation', async () => {
  const { id, outputs } = await runAutomation(true);
  expect(outputs).toEqual([
    expect.stringContaining('1 to 10080'),
    expect.stringMatching(/^Another run is scheduled for 20\d\d-.*Z\.$/),
  ]);
  expect(await waiting(id)).toMatchObject([{ trigger: 'followup', status: 'scheduled' }]);
});

test('an agent does not have the tool if the organization does not allow follow-ups', async () => {
  const { id, outputs } = await runAutomation(false);
  expect(outputs.join('\n')).not.toContain('scheduled');
  expect(await waiting(id)).toEqual([]);
});
