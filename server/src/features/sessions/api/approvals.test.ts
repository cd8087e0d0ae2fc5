import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../../test/support/api.ts';
import { join } from '../../../../test/support/members.ts';
import { start, take } from '../../../../test/support/session-states.ts';
import { startMaintenance } from '../../../app/maintenance.ts';
import { issueKey, ownerOf } from '../../keys/service.ts';
import { expireApprovals } from '../run/approval-state-service.ts';
import { suspendIdle } from '../dispatch/rest-service.ts';
import { finish, LeaseLost, loadRun, type ClaimedRun } from '../run/run-service.ts';
import { issueSessionKey } from '../run/session-key-service.ts';

const sessions = '/v3/organizations/default/sessions';
const settings = '/v3/organizations/default/settings/sessions';
const minute = 60_000;
const plan = '1. Look.\n2. Mend it.';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterEach(async () => {
  await api.call('DELETE', settings);
  await api.ctx.db.pool.query('delete from sessions');
});
afterAll(() => api.close());

function later(ms: number) {
  return { db: api.ctx.db, clock: { now: () => new Date(Date.now() + ms) } };
}

/** Ends a run whose plan needs approval. */
function propose(run: ClaimedRun, text = plan) {
  return finish(api.ctx, run, {
    status: 'waiting',
    status_detail: 'awaiting_approval',
    sandbox_state: 'none',
    plan: text,
    sandboxSeconds: 1,
  });
}

interface Asked {
  id: string;
  path: string;
  run: ClaimedRun;
  approval: string;
  decide: (body: object, key?: string) => Promise<Answer>;
  get: () => Promise<Record<string, unknown>>;
  events: () => Promise<{ kind: string; data: Record<string, unknown> }[]>;
  approvals: () => Promise<Record<string, unknown>[]>;
}

/** Creates a session that waits for the approval of its plan. */
async function asked(body: object = {}): Promise<Asked> {
  const made = await api.call('POST', sessions, { body: { prompt: 'Do it.', require_plan_approval: true, ...body } });
  if (made.status !== 201) throw new Error(made.text);
  const id = String(made.json['id']);
  const path = `${sessions}/${id}`;
  const run = await start(api, id);
  expect(await propose(run)).toBe('given_back');
  const approvals = async () => Object((await api.call('GET', `${path}/approvals`)).json)['items'];
  const [{ id: approval }] = await approvals();
  return {
    id,
    path,
    run,
    approval,
    approvals,
    decide: (decision, key) =>
      api.call('POST', `${path}/approvals/${approval}`, { body: decision, ...(key === undefined ? {} : { key }) }),
    get: async () => (await api.call('GET', path)).json,
    events: async () => Object((await api.call('GET', `${path}/events?first=200`)).json)['items'],
  };
}

describe('a plan that has to be approved', () => {
  test('is listed with its deadline, and its session waits from the same moment', async () => {
    const session = await asked();
    expect(await session.get()).toMatchObject({ status: 'waiting', status_detail: 'awaiting_approval' });
    const { json } = await api.call('GET', `${session.path}/approvals`);
    const [approval] = await session.approvals();
    expect(json).toMatchObject({ total: 1, has_next_page: false });
    expect(approval).toEqual({
      id: expect.stringMatching(/^apr_/),
      kind: 'plan',
      session_id: session.id,
      state: 'pending',
      request: { tool: '', input: {}, plan },
      edited_plan: '',
      requested_at: expect.any(String),
      expires_at: expect.any(String),
      decided_by: null,
      decided_at: null,
      note: '',
      message_id: '',
    });
    const lasts = Date.parse(String(approval?.['expires_at'])) - Date.parse(String(approval?.['requested_at']));
    expect(lasts).toBe(1_440 * minute);
    const events = await session.events();
    expect(events.slice(-2)).toMatchObject([
      { kind: 'approval', data: { approval_id: session.approval, kind: 'plan', state: 'pending', summary: plan } },
      { kind: 'status', data: { status: 'waiting', status_detail: 'awaiting_approval' } },
    ]);
  });

  test('is asked once: a run that lost its session asks nothing', async () => {
    const session = await asked();
    await expect(propose({ ...session.run, fence: session.run.fence - 1 })).rejects.toThrow(LeaseLost);
    expect(await session.approvals()).toHaveLength(1);
  });

  test('is not asked when its person said something meanwhile: the turn goes on with that', async () => {
    const made = await api.call('POST', sessions, { body: { prompt: 'Do it.', require_plan_approval: true } });
    const id = String(made.json['id']);
    const run = await start(api, id);
    await api.call('POST', `${sessions}/${id}/messages`, { body: { content: 'Otherwise.' } });
    expect(await propose(run)).toBe('goes_on');
    expect((await api.call('GET', `${sessions}/${id}/approvals`)).json['items']).toEqual([]);
  });

  test('cannot be asked of a session that only answers', async () => {
    const body = { prompt: 'What is it?', mode: 'ask', require_plan_approval: true };
    const answer = await api.call('POST', sessions, { body });
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
    expect(answer.text).toContain('require_plan_approval');
  });
});

describe('a decision', () => {
  test('to approve goes on in the same session, tells the agent the plan, and stays on record', async () => {
    const session = await asked();
    const answer = await session.decide({ decision: 'approve', note: 'Mind the tests.' });
    expect(answer.status).toBe(200);
    const self = (await api.call('GET', '/v3/self')).json;
    expect(answer.json).toMatchObject({
      state: 'approved',
      note: 'Mind the tests.',
      edited_plan: '',
      decided_by: { type: 'user', id: self['principal_id'], name: 'Administrator' },
      decided_at: expect.any(String),
    });
    expect(await session.get()).toMatchObject({ status: 'running' });
    const run = await take(api, session.id);
    expect(run.losses).toBe(0);
    expect(await loadRun(api.ctx, run)).toMatchObject({ planApproved: true, waiting: true });
    const { items } = (await api.call('GET', `${session.path}/messages`)).json;
    const [, told] = Object(items);
    expect(told.content).toContain('approved');
    expect(told.content).toContain('Mind the tests.');
    expect(told.content).toContain(plan);
    const { rows } = await api.ctx.db.pool.query(
      'select action, resource_type, resource_id from audit_entries where request_id = $1',
      [answer.headers.get('x-request-id')],
    );
    expect(rows).toEqual([{ action: 'approval.approve', resource_type: 'approval', resource_id: session.approval }]);
  });

  test('can put another plan in its place, which alone the agent is told', async () => {
    const session = await asked();
    const answer = await session.decide({ decision: 'approve', edited_plan: '1. Only look.' });
    expect(answer.json).toMatchObject({ state: 'approved', edited_plan: '1. Only look.', request: { plan } });
    const { text } = await api.call('GET', `${session.path}/messages`);
    expect(text).toContain('1. Only look.');
    expect(text).not.toContain('Mend it');
  });

  test.each([
    [{ decision: 'approve' }, 'is approved'],
    [{ decision: 'deny', note: 'Never on a Friday.' }, 'is denied'],
  ])('about a tool names its call, and no plan: %o', async (decision, verdict) => {
    const session = await asked();
    const change = "update session_approvals set kind = 'tool', plan = '', tool = 'deploy', input = $2 where id = $1";
    await api.ctx.db.pool.query(change, [session.approval, '{"to":"production"}']);
    const edited = await session.decide({ ...decision, edited_plan: 'x' });
    expect([edited.status, edited.text]).toEqual([400, expect.stringContaining('edited_plan')]);
    expect((await session.decide(decision)).status).toBe(200);
    const { items } = (await api.call('GET', `${session.path}/messages`)).json;
    const { content } = Object(items).at(-1);
    expect(content).toContain(`The call of the tool "deploy" ${verdict}.`);
    expect(content).toContain(decision.decision === 'approve' ? '"to": "production"' : 'Never on a Friday.');
    expect(content).not.toContain('plan');
  });

  test('to deny with a note plans again with it; nothing is approved', async () => {
    const session = await asked();
    expect((await session.decide({ decision: 'deny', note: 'Smaller.' })).json).toMatchObject({ state: 'denied' });
    const run = await take(api, session.id);
    expect(await loadRun(api.ctx, run)).toMatchObject({ planApproved: false, waiting: true });
    expect((await api.call('GET', `${session.path}/messages`)).text).toContain('Smaller.');
  });

  test.each([[{ decision: 'deny' }], [{ decision: 'deny', note: ' ' }]])(
    'to deny without a note waits for a message: %o',
    async (body) => {
      const session = await asked();
      expect((await session.decide(body)).json).toMatchObject({ state: 'denied' });
      expect(await session.get()).toMatchObject({ status: 'waiting', status_detail: 'awaiting_user' });
      expect((await session.events()).slice(-2)).toMatchObject([
        { kind: 'approval', data: { state: 'denied' } },
        { kind: 'status', data: { status_detail: 'awaiting_user' } },
      ]);
      await api.call('POST', `${session.path}/messages`, { body: { content: 'Another way.' } });
      expect(await loadRun(api.ctx, await take(api, session.id))).toMatchObject({ planApproved: false, waiting: true });
    },
  );

  test('is made once, however many decide at the same time', async () => {
    const session = await asked();
    const bodies = [{ decision: 'approve' }, { decision: 'deny' }, { decision: 'deny', note: 'No.' }];
    const answers = await Promise.all([...bodies, ...bodies].map((body) => session.decide(body)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.json['error']).toBe('already_decided');
    const decisions = (await session.events()).filter(({ kind }) => kind === 'approval');
    expect(decisions).toHaveLength(2);
  });

  test.each([
    ['edited_plan with a denial', { decision: 'deny', edited_plan: 'x' }],
    ['a blank edited_plan', { decision: 'approve', edited_plan: ' ' }],
    ['an unknown decision', { decision: 'perhaps' }],
    ['no decision', {}],
  ])('is refused with %s, and still open', async (_name, body) => {
    const session = await asked();
    const answer = await session.decide(body);
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
    expect((await session.approvals())[0]).toMatchObject({ state: 'pending' });
  });

  test('needs an approval of that very session', async () => {
    const [one, other] = [await asked(), await asked()];
    const ask = (path: string) => api.call('POST', path, { body: { decision: 'approve' } });
    const crossed = await ask(`${one.path}/approvals/${other.approval}`);
    expect([crossed.status, crossed.json['error']]).toEqual([404, 'approval_not_found']);
    const nowhere = await ask(`${sessions}/ses_none/approvals/${one.approval}`);
    expect([nowhere.status, nowhere.json['error']]).toEqual([404, 'session_not_found']);
  });

  test('is not for the session itself, nor for one that started it', async () => {
    const parent = await asked();
    await parent.decide({ decision: 'approve' });
    const { key } = await issueSessionKey(api.ctx, await take(api, parent.id));
    const child = await api.call('POST', sessions, { key, body: { prompt: 'A part of it.' } });
    const run = await start(api, String(child.json['id']));
    await propose(run);
    const path = `${sessions}/${String(child.json['id'])}/approvals`;
    const { items } = (await api.call('GET', path, { key })).json;
    const [{ id: approval }] = Object(items);
    const { key: own } = await issueSessionKey(api.ctx, run);
    for (const mine of [key, own]) {
      const answer = await api.call('POST', `${path}/${approval}`, { key: mine, body: { decision: 'approve' } });
      expect([answer.status, answer.json['error']]).toEqual([403, 'forbidden']);
    }
    expect((await api.call('POST', `${path}/${approval}`, { body: { decision: 'approve' } })).status).toBe(200);
  });

  test("of a session that works with its creator's secrets is the creator's alone", async () => {
    const secret = { key: 'MINE', value: 'x', scope: 'user' };
    expect((await api.call('POST', '/v3/organizations/default/secrets', { body: secret })).status).toBe(201);
    const session = await asked();
    const orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
    const owner = ownerOf(orgId, 'user', await join(api, orgId, 'admin'));
    const input = { owner, name: 'x', scopes: ['run'] as const, now: new Date() };
    const { key } = await issueKey(api.ctx.db.kysely, input);
    const answer = await session.decide({ decision: 'approve' }, key);
    expect([answer.status, answer.json['error']]).toEqual([403, 'forbidden']);
    expect((await session.decide({ decision: 'approve' })).status).toBe(200);
  });

  test('is told to the agent whatever happens: the message that tells it cannot be taken back', async () => {
    const session = await asked();
    await session.decide({ decision: 'approve', edited_plan: 'Mine.' });
    const { items } = (await api.call('GET', `${session.path}/messages`)).json;
    const told = Object(items).at(-1).id;
    expect(await session.approvals()).toMatchObject([{ message_id: told }]);
    const answer = await api.call('DELETE', `${session.path}/messages/${told}`);
    expect([answer.status, answer.json['error']]).toEqual([409, 'invalid_transition']);
    expect((await api.call('GET', `${session.path}/messages`)).text).toContain('Mine.');
  });
});

describe('what else ends the wait', () => {
  test('a message takes the place of the plan, and planning goes on with it', async () => {
    const session = await asked();
    expect((await api.call('POST', `${session.path}/messages`, { body: { content: 'And B?' } })).status).toBe(202);
    expect((await session.approvals())[0]).toMatchObject({
      state: 'denied',
      note: 'A message was sent instead.',
      decided_by: { type: 'user' },
    });
    expect((await session.decide({ decision: 'approve' })).status).toBe(409);
    expect(await loadRun(api.ctx, await take(api, session.id))).toMatchObject({ planApproved: false, waiting: true });
  });

  test.each([
    ['cancel', 'canceled'],
    ['suspend', 'suspended'],
  ])('%s closes it', async (action, status) => {
    const session = await asked();
    expect((await api.call('POST', `${session.path}/${action}`)).json).toMatchObject({ status });
    expect((await session.approvals())[0]).toMatchObject({ state: 'denied', note: `The session was ${status}.` });
    expect((await session.events()).slice(-2)).toMatchObject([
      { kind: 'approval', data: { state: 'denied' } },
      { kind: 'status', data: { status } },
    ]);
    expect((await session.decide({ decision: 'approve' })).json['error']).toBe('already_decided');
    expect(await session.get()).toMatchObject({ status });
  });

  test('an interrupt does not, for nothing is under way', async () => {
    const session = await asked();
    expect((await api.call('POST', `${session.path}/interrupt`)).status).toBe(200);
    expect((await session.approvals())[0]).toMatchObject({ state: 'pending' });
  });

  test('nothing is left of a session that is deleted', async () => {
    const session = await asked();
    expect((await api.call('DELETE', `${session.path}?force=true`)).status).toBe(204);
    expect((await session.decide({ decision: 'approve' })).json['error']).toBe('session_not_found');
    const { rows } = await api.ctx.db.pool.query('select 1 from session_approvals');
    expect(rows).toEqual([]);
  });
});

describe('approval_timeout_minutes', () => {
  test('is how long a plan waits; then it is denied, on record, and its session waits for a message', async () => {
    await api.call('PUT', settings, { body: { approval_timeout_minutes: 30 } });
    const session = await asked();
    expect(await expireApprovals(later(29 * minute))).toBe(0);
    expect(await expireApprovals(later(31 * minute))).toBe(1);
    expect((await session.approvals())[0]).toMatchObject({
      state: 'expired',
      decided_by: null,
      decided_at: expect.any(String),
    });
    expect(await session.get()).toMatchObject({ status: 'waiting', status_detail: 'awaiting_user' });
    expect((await session.events()).slice(-2)).toMatchObject([
      { kind: 'approval', data: { state: 'expired' } },
      { kind: 'status', data: { status: 'waiting', status_detail: 'awaiting_user' } },
    ]);
    expect((await session.decide({ decision: 'approve' })).json['error']).toBe('already_decided');
    expect(await expireApprovals(later(31 * minute))).toBe(0);
    const { rows } = await api.ctx.db.pool.query(
      "select actor_type, resource_id from audit_entries where action = 'approval.expire'",
    );
    expect(rows).toEqual([{ actor_type: 'system', resource_id: session.approval }]);
  });

  test('counts and not the round that looks for it: a decision that comes too late is none', async () => {
    const session = await asked();
    await api.ctx.db.pool.query("update session_approvals set expires_at = now() - interval '1 second'");
    expect((await session.decide({ decision: 'approve' })).json['error']).toBe('already_decided');
  });

  test('and not idle_suspend_minutes says when a session that waits for an approval rests', async () => {
    await asked();
    expect(await suspendIdle(later(1_439 * minute))).toBe(0);
    expect(await expireApprovals(later(1_441 * minute))).toBe(1);
    expect(await suspendIdle(later(3 * 1_440 * minute))).toBe(1);
  });

  test('ends the wait of hundreds, each once, also with concurrent runs', async () => {
    const { id } = await asked();
    await api.ctx.db.pool.query(
      `insert into sessions (id, org_id, prompt, status, status_detail, agent_id, agent_version, created_by_type, created_by_id)
       select 'ses_' || n, org_id, prompt, status, status_detail, agent_id, agent_version, created_by_type, created_by_id
       from sessions, generate_series(1, 250) n where id = $1`,
      [id],
    );
    await api.ctx.db.pool.query(
      `insert into session_approvals (id, org_id, session_id, kind, requested_at, expires_at)
       select 'apr_' || n, org_id, 'ses_' || n, kind, requested_at, expires_at
       from session_approvals, generate_series(1, 250) n where session_id = $1`,
      [id],
    );
    await Promise.all([1, 2, 3].map(() => expireApprovals(later(1_441 * minute))));
    const { rows } = await api.ctx.db.pool.query(
      "select count(*) as n, count(distinct session_id) as sessions from session_events where data ->> 'state' = 'expired'",
    );
    expect(rows).toEqual([{ n: 251, sessions: 251 }]);
  });

  test('is looked after by the process itself', async () => {
    const session = await asked();
    await api.ctx.db.pool.query("update session_approvals set expires_at = now() - interval '1 second'");
    await startMaintenance(api.ctx, { hasRepositories: true });
    await api.ctx.db.transaction((trx) => api.ctx.jobs.enqueue(trx, 'maintenance', { task: 'expire-approvals' }));
    await expect.poll(async () => (await session.approvals())[0]?.['state'], { timeout: 15_000 }).toBe('expired');
  });
});
