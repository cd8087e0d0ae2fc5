import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { withinOneDay } from '../../../test/support/day.ts';
import { newGroup, newPerson, type Person } from '../../../test/support/groups.ts';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';

// Real sandboxes and real git, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

let fixture: ModelFixture;
const org = '/v3/organizations/default';
const price = { input_per_mtok: 10, output_per_mtok: 10, cached_input_per_mtok: 10 };
/** Costs 0.031 USD. */
const usage = { input: 3_000, output: 100 };
const steps = [1, 2, 3, 4, 5, 6].map((n) => ({ run: `echo ${n} >> log`, usage }));

beforeAll(async () => {
  fixture = await createModelFixture();
  await put('settings/models', { prices: { 'openai/scripted': price } });
  await fixture.worker();
});

beforeEach(() => withinOneDay());
afterAll(() => fixture.close());

async function put(path: string, body: object): Promise<void> {
  const answer = await fixture.api.call('PUT', `${org}/${path}`, { body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

function resume(id: string, key?: string) {
  return fixture.api.call('POST', `${org}/sessions/${id}/resume`, { body: {}, ...(key && { key }) });
}

type Repository = Awaited<ReturnType<ModelFixture['repository']>>;

/** Runs a session that calls a model until a limit stops it; returns its id. */
async function runUntilReached(repository: Repository, limit: string, by: { person?: Person; budget?: object } = {}) {
  const { person, budget = {} } = by;
  const body = {
    prompt: script([...steps, { say: 'Done.', usage }]),
    budget,
    repositories: [{ repo: repository.repo }],
  };
  const { json } = await fixture.api.call('POST', `${org}/sessions`, { body, ...(person && { key: person.key }) });
  const session = await fixture.reaches(String(json['id']), 'completed', 'failed', 'suspended');
  expect(session).toMatchObject({ status: 'suspended', status_detail: 'budget_reached', error: null });
  const events = await fixture.events(session.id);
  const calls = events.filter(({ kind }) => kind === 'usage').length;
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThan(7);
  const reached = events.find(({ kind }) => kind === 'budget')?.data;
  expect(reached).toMatchObject({ limit });
  // No call was made that could have gone beyond it.
  expect(Number(reached?.['used'])).toBeLessThanOrEqual(Number(reached?.['allowed']));
  const refused = await resume(session.id, person?.key);
  expect([refused.status, refused.json['error']]).toEqual([402, 'budget_exceeded']);
  return session.id;
}

async function finishes(id: string, key?: string): Promise<void> {
  expect((await resume(id, key)).status).toBe(200);
  expect((await fixture.reaches(id, 'completed', 'failed', 'suspended')).status).toBe('completed');
}

test('a session stops between two calls at the day of the organization, and continues when it is raised', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  await put('settings/budgets', { per_day_usd: 0.15 });
  const id = await runUntilReached(repository, 'organization_day_usd');
  await put('settings/budgets', { per_day_usd: 100 });
  await finishes(id);
});

test('the same holds for the guardrail of a repository; that is a violation', async () => {
  await put('settings/budgets', {});
  const repository = await fixture.repository({ answer: '41\n' });
  await put(`guardrails/${repository.id}`, { max_cost_per_day_usd: 0.15 });
  const id = await runUntilReached(repository, 'repository_day_usd');
  const { json } = await fixture.api.call('GET', `${org}/guardrails/violations?session_id=${id}`);
  expect(json['items']).toMatchObject([
    { rule: 'max_cost_per_day_usd', action: 'blocked', evidence: { stage: 'model_call', allowed: 0.15 } },
  ]);
  await put(`guardrails/${repository.id}`, { max_cost_per_day_usd: 100 });
  await finishes(id);
});

test('the same holds for the budget of a session', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  const id = await runUntilReached(repository, 'max_cost_usd', { budget: { max_cost_usd: 0.15 } });
  await fixture.api.call('PATCH', `${org}/sessions/${id}`, { body: { budget: { max_cost_usd: 100 } } });
  await finishes(id);
});

test('the same holds for the day of a group', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  const person = await newPerson(fixture.api);
  const group = await newGroup(fixture.api, [person], { per_day: { cost_usd: 0.15 } });
  const id = await runUntilReached(repository, 'group_cost_usd', { person });
  await fixture.api.call('PATCH', `${org}/groups/${group}`, { body: { limits: { per_day: { cost_usd: 100 } } } });
  await finishes(id, person.key);
});

test('a budget that is not hard only warns', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  await put('settings/budgets', { per_day_usd: 0.15, hard: false });
  const session = await fixture.run({ repository, prompt: script([...steps, { say: 'Done.', usage }]) });
  expect(session.status).toBe('completed');
  const warnings = (await fixture.events(session.id)).filter(({ data }) => data['code'] === 'budget_exceeded');
  expect(warnings).toHaveLength(1);
});
