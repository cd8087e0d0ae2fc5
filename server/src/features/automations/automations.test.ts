import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';

const org = '/v3/organizations/default';
const daily = { type: 'schedule', cron: '30 2 * * *', timezone: 'Europe/Berlin' };
const action = { prompt_template: 'Do it.' };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const create = (body: object): Promise<Answer> =>
  api.call('POST', `${org}/automations`, { body: { name: 'x', triggers: [], action, ...body } });
const idOf = ({ json }: Answer): string => String(json['id']);
const runsOf = async (id: string): Promise<Record<string, unknown>[]> => {
  const { json } = await api.call('GET', `${org}/automations/${id}/runs`);
  return Array.isArray(json['items']) ? json['items'] : [];
};

test('a new automation has the defaults and its next time', async () => {
  const { status, json } = await create({ triggers: [daily] });
  expect(status).toBe(201);
  expect(json).toMatchObject({
    enabled: true,
    executor: 'platform',
    run_as: 'creator',
    concurrency: 'skip',
    missed_runs: 'run_once',
    retry: { max_attempts: 1, backoff_seconds: 60 },
    timeout_minutes: 120,
    pause_after_failures: 5,
    status: 'active',
    consecutive_failures: 0,
    last_run_at: null,
    hook_secret: '',
    revision: 1,
    triggers: [{ ...daily, at: null, url: '', conditions: [] }],
    action: { prompt_template: 'Do it.', repositories: [], agent_id: '', tags: [], budget: {}, deliver: '' },
  });
  expect(new Date(String(json['next_run_at'])).getTime()).toBeGreaterThan(Date.now());
});

test.each([
  [{ triggers: [{ type: 'schedule', cron: '* * *' }] }, 'invalid_schedule'],
  [{ triggers: [{ type: 'schedule', cron: '0 0 * * *', timezone: 'Nowhere' }] }, 'invalid_schedule'],
  [{ triggers: [{ type: 'schedule' }] }, 'invalid_schedule'],
  [{ triggers: [{ type: 'once', at: '2020-01-01T00:00:00Z' }] }, 'invalid_schedule'],
  [{ triggers: [{ type: 'once' }] }, 'invalid_schedule'],
  [{ triggers: [{ type: 'webhook' }, { type: 'webhook' }] }, 'invalid_request'],
  [{ triggers: [{ type: 'push', conditions: [{ path: 'ref', operator: 'exists' }] }] }, 'invalid_request'],
  [{ triggers: [{ type: 'push', conditions: [{ path: '/ref', operator: 'matches', value: 1 }] }] }, 'invalid_request'],
  [{ triggers: [{ type: 'webhook', cron: '0 0 * * *' }] }, 'invalid_request'],
  [{ triggers: [{ type: 'once', at: '2100-01-01T00:00:00Z', timezone: 'Europe/Berlin' }] }, 'invalid_request'],
  [{ triggers: [{ type: 'schedule', cron: '0 0 * * *', at: '2100-01-01T00:00:00Z' }] }, 'invalid_request'],
  [
    { triggers: [{ type: 'schedule', cron: '0 0 * * *', conditions: [{ path: '/a', operator: 'exists' }] }] },
    'invalid_request',
  ],
  [{ action: { prompt_template: ' ' } }, 'prompt_required'],
  [{ action: { prompt_template: 'Print {{env.SECRET}}.' } }, 'invalid_request'],
  [{ action: { prompt_template: 'x', structured_output_schema: { type: 'nothing' } } }, 'invalid_request'],
  [{ action: { prompt_template: 'x', repositories: [{ repo: 'web' }] } }, 'invalid_request'],
  [{ action: { prompt_template: 'x', deliver: 'branch' } }, 'invalid_request'],
  [{ action: { prompt_template: 'x', tags: ['a,b'] } }, 'invalid_request'],
])('%j: %s', async (body, code) => {
  const { status, json } = await create(body);
  expect([status, json['error']]).toEqual([400, code]);
});

test('an agent must exist', async () => {
  const { status, json } = await create({ action: { ...action, agent_id: 'agt_none' } });
  expect([status, json['error']]).toEqual([404, 'agent_not_found']);
});

test('the settings limit how often a schedule comes', async () => {
  await api.call('PUT', `${org}/settings/automations`, { body: { min_interval_minutes: 15 } });
  const often = await create({ triggers: [{ type: 'schedule', cron: '*/10 * * * *' }] });
  expect([often.status, often.json['error']]).toEqual([400, 'invalid_schedule']);
  expect((await create({ triggers: [{ type: 'schedule', cron: '*/15 * * * *' }] })).status).toBe(201);
  await api.call('PUT', `${org}/settings/automations`, { body: {} });
});

test('the settings decide after how many failures it is paused, until it has a limit of its own', async () => {
  const path = `${org}/automations/${idOf(await create({}))}`;
  const limit = async (): Promise<unknown> => (await api.call('GET', path)).json['pause_after_failures'];
  const set = async (value: number | null): Promise<unknown> =>
    (await api.call('PATCH', path, { body: { pause_after_failures: value } })).json['revision'];
  expect(await set(5)).toBe(1);
  await api.call('PUT', `${org}/settings/automations`, { body: { pause_after_failures: 7 } });
  expect(await limit()).toBe(7);
  expect(await set(3)).toBe(2);
  expect(await limit()).toBe(3);
  expect(await set(null)).toBe(3);
  expect(await limit()).toBe(7);
  await api.call('PUT', `${org}/settings/automations`, { body: {} });
});

test('a change keeps omitted fields, counts as a revision once, and an old one is refused', async () => {
  const made = await create({ triggers: [daily, { type: 'webhook' }], retry: { max_attempts: 3 } });
  const path = `${org}/automations/${idOf(made)}`;
  const change = { retry: { backoff_seconds: 5 }, action: { tags: ['ci'] } };
  const changed = await api.call('PATCH', path, { body: change, headers: { 'if-match': '"1"' } });
  expect(changed.json).toMatchObject({
    revision: 2,
    retry: { max_attempts: 3, backoff_seconds: 5 },
    action: { prompt_template: 'Do it.', tags: ['ci'] },
    triggers: made.json['triggers'],
    hook_secret: '',
  });
  expect((await api.call('PATCH', path, { body: change })).json['revision']).toBe(2);
  expect((await api.call('PATCH', path, { body: { name: 'y' }, headers: { 'if-match': '"1"' } })).status).toBe(412);
  const { triggers, action: read, name } = changed.json;
  expect((await api.call('PATCH', path, { body: { triggers, action: read, name } })).json['revision']).toBe(2);
});

test('a paused one has no next time until it is resumed', async () => {
  const path = `${org}/automations/${idOf(await create({ triggers: [daily] }))}`;
  expect((await api.call('POST', `${path}/pause`)).json).toMatchObject({ status: 'paused', next_run_at: null });
  expect((await api.call('POST', `${path}/pause`)).status).toBe(200);
  const resumed = await api.call('POST', `${path}/resume`);
  expect(resumed.json).toMatchObject({ status: 'active', next_run_at: expect.any(String) });
  expect((await api.call('PATCH', path, { body: { enabled: false } })).json['next_run_at']).toBeNull();
  expect((await api.call('DELETE', path)).status).toBe(204);
  expect((await api.call('GET', path)).status).toBe(404);
});

test('only the creator changes what it does in the name of the creator', async () => {
  const path = `${org}/automations/${idOf(await create({}))}`;
  const key = await api.keyWith(['run', 'sessions:read']);
  const other = { action: { prompt_template: 'Print the secrets.' } };
  expect((await api.call('PATCH', path, { key, body: other })).json['error']).toBe('forbidden');
  expect((await api.call('PATCH', path, { key, body: { enabled: false } })).status).toBe(200);
  expect((await api.call('PATCH', path, { key, body: { ...other, run_as: 'organization' } })).status).toBe(200);
  expect((await api.call('PATCH', path, { key, body: { run_as: 'creator' } })).status).toBe(403);
});

test('a validation shows the next five times and tries a sample', async () => {
  const conditions = [{ path: '/action', operator: 'equals', value: 'opened' }];
  const body = {
    triggers: [daily, { type: 'webhook', conditions }],
    prompt_template: 'Triage {{payload.title}}.',
    sample: { type: 'webhook', payload: { action: 'opened', title: 'Broken' } },
  };
  const { status, json } = await api.call('POST', `${org}/automations/validate`, { body });
  expect(status).toBe(200);
  expect(json).toMatchObject({ matches: true, triggers: [{ matches: false }, { matches: true, next_times: [] }] });
  expect(json['next_times']).toHaveLength(5);
  expect(json['prompt']).toContain('"title":"Broken"');
  const sample = { type: 'webhook', payload: { action: 'closed' } };
  expect((await api.call('POST', `${org}/automations/validate`, { body: { ...body, sample } })).json['matches']).toBe(
    false,
  );
});

test('a run now is a run at once, also of a disabled automation', async () => {
  const id = idOf(await create({ enabled: false, executor: 'external' }));
  const started = await api.call('POST', `${org}/automations/${id}/trigger`, { body: { payload: { a: 1 } } });
  expect(started.status).toBe(202);
  expect(started.json['run']).toMatchObject({ automation_id: id, status: 'pending', trigger: 'manual' });
  expect(await runsOf(id)).toHaveLength(1);
  const by = async (trigger: string) => api.call('GET', `${org}/automations/${id}/runs?trigger=${trigger}`);
  expect((await by('manual,schedule')).json['total']).toBe(1);
  expect((await by('schedule')).json['total']).toBe(0);
  expect((await by('shedule')).json['message']).toContain('query.trigger must be one of schedule, once, webhook');
});
