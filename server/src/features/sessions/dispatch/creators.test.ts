import { afterAll, beforeAll, expect, test } from 'vitest';
import { join, personalKey } from '../../../../test/support/members.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent } from '../../../../test/support/sessions.ts';
import { startCreatorWatch } from './creator-service.ts';

const org = '/v3/organizations/default';

let fixture: RuntimeFixture;
let orgId: string;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  orgId = String((await fixture.api.call('GET', org)).json['id']);
  startCreatorWatch(fixture.api.ctx);
});
afterAll(() => fixture.close());

/** Works until somebody goes on with it. */
const patient = 'echo 42 > answer; echo here; case $GUILDHALL_PROMPT_FILE in *-1.md) sleep 300;; esac';
const isHere = ({ kind, data }: TestEvent): boolean => kind === 'output' && String(data['text']).includes('here');

async function post(path: string, key: string, body: object = {}): Promise<Record<string, unknown>> {
  const { status, text, json } = await fixture.api.call('POST', path, { key, body });
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  return json;
}

async function patientAgent(): Promise<unknown> {
  const { adminKey } = fixture.api;
  const runtime_config = { steps: [{ run: patient }], summary: 'Done.' };
  return (await post('/agents', adminKey, { name: 'Patient', runtime: 'script', runtime_config }))['id'];
}

test('sessions of a member who left are suspended with their work, until someone else resumes them', async () => {
  await fixture.worker({ slots: 2 });
  const { adminKey } = fixture.api;
  const repository = await fixture.repository({ answer: '41\n' });
  const slow = await fixture.repository({ answer: '41\n' }, { setup_command: 'sleep 300' });
  const person = await join(fixture.api, orgId, 'member');
  const key = await personalKey(fixture.api, orgId, person);
  const agent_id = await patientAgent();
  const create = async ({ repo }: { repo: string }, by: string): Promise<string> =>
    String((await post(`${org}/sessions`, by, { prompt: 'x', repositories: [{ repo }], agent_id }))['id']);
  const working = await create(repository, key);
  await fixture.event(working, isHere);
  const provisioning = await create(slow, key);
  await fixture.reaches(provisioning, 'provisioning');
  const queued = await create(repository, key);
  const others = await create(repository, adminKey);

  expect((await fixture.api.call('DELETE', `${org}/members/${person}`)).status).toBe(204);
  const ids = [working, provisioning, queued];
  for (const id of ids) {
    expect(await fixture.reaches(id, 'suspended')).toMatchObject({ status_detail: 'user_request' });
    const told = (await fixture.events(id)).filter(({ data }) => data['code'] === 'creator_gone');
    expect(told).toHaveLength(1);
  }
  const diff = await fixture.api.call('GET', `${org}/sessions/${working}/diff`);
  expect(diff.json).toMatchObject({ files: [{ path: 'answer' }] });
  await fixture.event(others, isHere);

  await post(`${org}/sessions/${working}/messages`, adminKey, { content: 'Go on.' });
  expect(await fixture.reaches(working, 'completed', 'suspended')).toMatchObject({ status: 'completed' });
  expect(await fixture.changeRequests(repository)).toHaveLength(1);
  await post(`${org}/sessions/${others}/cancel`, adminKey);
});

test('so are those of a member who becomes a viewer, and of a deleted service user or app', async () => {
  await fixture.worker({ slots: 3 });
  const { adminKey } = fixture.api;
  const agent_id = await patientAgent();
  const person = await join(fixture.api, orgId, 'member');
  const machine = String((await post(`${org}/service-users`, adminKey, { name: 'builder' }))['id']);
  const app = String((await post('/apps', adminKey, { name: 'ci' }))['id']);
  const issue = async (path: string): Promise<string> =>
    String((await post(path, adminKey, { name: 'k', scopes: ['run'] }))['key']);
  const creators = [
    { key: await personalKey(fixture.api, orgId, person), path: `${org}/members/${person}`, permission: 'viewer' },
    { key: await issue(`${org}/service-users/${machine}/keys`), path: `${org}/service-users/${machine}` },
    { key: await issue(`/apps/${app}/keys`), path: `/apps/${app}` },
  ];
  for (const { key, path, permission } of creators) {
    const { id } = await post(`${org}/sessions`, key, { prompt: 'x', repositories: [], agent_id });
    await fixture.event(String(id), isHere);
    // A change that takes nothing away suspends nothing.
    if (permission !== undefined) await fixture.api.call('PATCH', path, { body: { permission: 'admin' } });
    const ended =
      permission === undefined
        ? await fixture.api.call('DELETE', path)
        : await fixture.api.call('PATCH', path, { body: { permission } });
    expect(ended.status).toBeLessThan(300);
    expect(await fixture.reaches(String(id), 'suspended')).toMatchObject({ status_detail: 'user_request' });
  }
});
