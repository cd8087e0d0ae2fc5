import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { withinOneDay } from '../../../../test/support/day.ts';
import { newGroup, newPerson, newSession } from '../../../../test/support/groups.ts';
import { requireGrantable, requireScope, withoutRequest, type Actor } from '../../../caller.ts';
import { scopeSet } from '../../../lib/scopes.ts';
import { cancelSession } from './action-service.ts';
import { createSession } from './create-service.ts';

const organizationPath = '/v3/organizations/default';

let api: TestApi;
let organization: Actor['organization'];
beforeAll(async () => {
  api = await startTestApi();
  const { json } = await api.call('GET', organizationPath);
  organization = { id: String(json['id']), slug: 'default', name: 'Default', state: 'active' };
});
afterAll(() => api.close());

/** Returns an automation that acts for a member. */
const member = (id: string): Actor => ({
  organization,
  principal: { type: 'user', id, name: 'Ada', email: 'ada@example.org' },
  scopes: scopeSet('member'),
  permission: 'member',
  role: 'regular',
});
const system = (): Actor => ({
  organization,
  principal: { type: 'system', id: 'nightly', name: 'nightly triage', email: '' },
  scopes: new Set(['run']),
  permission: '',
  role: '',
});

async function entriesOf(id: string): Promise<unknown> {
  return (await api.call('GET', `${organizationPath}/audit-logs?resource_id=${id}&order=asc`)).json['items'];
}

test.each([
  ['the system', system],
  ['a member', async () => member((await newPerson(api)).id)],
])('an automation that acts for %s starts and ends a session, and the audit trail says so', async (_, actorOf) => {
  const actor = await actorOf();
  const { type, id: principalId } = actor.principal;
  const answer = await createSession(api.ctx, withoutRequest(actor), { prompt: 'Do it.', repositories: [] });
  const { id } = JSON.parse(answer);
  const session = await api.call('GET', `${organizationPath}/sessions/${id}`);
  expect(session.json).toMatchObject({ status: 'queued', created_by: { type, id: principalId } });
  await cancelSession(api.ctx, withoutRequest(actor), id);
  const by = { actor: { type, id: principalId }, ip: '', user_agent: '', request_id: '', outcome: 'success' };
  await expect
    .poll(() => entriesOf(id))
    .toMatchObject([
      { action: 'session.create', ...by },
      { action: 'session.cancel', ...by },
    ]);
});

test('a group limits sessions that are started for its member', async () => {
  await withinOneDay();
  const person = await newPerson(api);
  await newGroup(api, [person], { per_day: { sessions: 1 }, on_exceed: 'block' });
  await newSession(api, person);
  const another = createSession(api.ctx, withoutRequest(member(person.id)), { prompt: 'Again.' });
  await expect(another).rejects.toMatchObject({ code: 'budget_exceeded' });
});

test('an automation has the scopes of its actor and gives nobody more', () => {
  const caller = withoutRequest(system());
  requireScope(caller, 'run');
  expect(() => requireScope(caller, 'org:write')).toThrow('This automation lacks the scope org:write.');
  expect(() => requireGrantable(caller, 'viewer')).toThrow('This automation lacks plugins:read');
});
