import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { script, type Step } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';
import type { TestEvent, TestSession } from '../../../test/support/sessions.ts';

let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await createModelFixture();
});

afterAll(() => fixture.close());

const path = (id: string, rest = '') => `/v3/organizations/default/sessions/${id}${rest}`;
const say = (id: string, content: string) => fixture.api.call('POST', path(id, '/messages'), { body: { content } });
const submit = (plan: string): Step => ({ call: { name: 'submit_plan', input: { plan } } });
const verify_command = 'grep -q 42 answer';

interface Listed {
  id: string;
  state: string;
  request: { plan: string };
}

/** Returns approvals, newest first. */
async function approvals(id: string): Promise<Listed[]> {
  return Object((await fixture.api.call('GET', path(id, '/approvals'))).json)['items'];
}

/** Waits until the session requests the approval of another plan. */
async function asks(id: string, count = 1): Promise<Listed> {
  return fixture.until(async () => {
    const listed = await approvals(id);
    const [newest] = listed;
    const { status_detail } = await fixture.get(id);
    return listed.length === count && newest?.state === 'pending' && status_detail === 'awaiting_approval'
      ? newest
      : undefined;
  }, `${id} asks for its plan number ${count}`);
}

async function decide(id: string, approval: Listed, body: object): Promise<void> {
  const answer = await fixture.api.call('POST', path(id, `/approvals/${approval.id}`), { body });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Creates an MCP server that writes into the work tree; returns its path. MCP servers start beside any agent. */
async function plant(): Promise<string> {
  const body = { name: 'Planter', command: 'sh', args: ['-c', 'echo planted > planted; echo planted > answer'] };
  const servers = '/v3/organizations/default/mcp-servers';
  const { json } = await fixture.api.call('POST', servers, { body });
  return `${servers}/${String(json['id'])}`;
}

const done = (id: string): Promise<TestSession> => fixture.reaches(id, 'completed', 'failed');
const answerIn = async (directory: string) => readFile(join(directory, 'answer'), 'utf8');

describe('a session whose plan has to be approved', () => {
  test.each(['build', 'plan'])('in mode %s changes nothing before, and then carries out the plan', async (mode) => {
    const worker = await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const prompt = script([
      { read: 'answer' },
      submit('Write 42.'),
      { write: { path: 'answer', content: '42\n' } },
      { say: 'It is 42 now.' },
    ]);
    const { id } = await fixture.create({ repository, prompt, mode, require_plan_approval: true, verify_command });
    const approval = await asks(id);
    expect(approval.request.plan).toBe('Write 42.');
    const waiting = await fixture.get(id);
    expect(waiting).toMatchObject({ status: 'waiting', verification: '', change_requests: [] });
    const events = await fixture.events(id);
    const details = events.flatMap(({ kind, data }) => (kind === 'status' ? [data['status_detail']] : []));
    expect(details).toContain('planning');
    for (const detail of ['working', 'verifying', 'delivering']) expect(details).not.toContain(detail);
    const offered = JSON.stringify(fixture.model.requests.at(-1)?.body['tools']);
    for (const name of ['shell', 'write', 'edit', 'set_check']) expect(offered).not.toContain(`"name":"${name}"`);
    await fixture.until(async () => (worker.busy() === 0 ? true : undefined), 'the slot is free');
    expect(await fixture.changeRequests(repository)).toEqual([]);

    await decide(id, approval, { decision: 'approve', edited_plan: 'Write 42, and nothing else.', note: 'Quickly.' });
    expect(await done(id)).toMatchObject({ status: 'completed', verification: 'fixed' });
    const told = JSON.stringify(fixture.model.requests.at(-1)?.body);
    expect(told).toContain('Write 42, and nothing else.');
    expect(told).toContain('Quickly.');
    const requests = await fixture.changeRequests(repository);
    expect(requests).toHaveLength(1);
    expect(await answerIn(await fixture.clone(repository, requests[0]?.head_ref ?? ''))).toBe('42\n');
    expect(await approvals(id)).toMatchObject([{ state: 'approved' }]);

    // An approved session needs no further approval.
    await say(id, script([{ write: { path: 'more', content: 'x\n' } }, { say: 'More.' }]));
    await fixture.event(
      id,
      ({ kind, turn, data }) => kind === 'status' && turn === 3 && data['status'] === 'completed',
    );
    expect(await approvals(id)).toHaveLength(1);
  });

  test('delivers nothing that changed while its plan was made', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const server = await plant();
    const prompt = script([
      { search: 'planted' },
      submit('Write 42.'),
      { write: { path: 'answer2', content: '42\n' } },
      { say: 'It is 42.' },
    ]);
    const { id } = await fixture.create({ repository, prompt, require_plan_approval: true });
    const approval = await asks(id);
    const found = (await fixture.events(id)).find(({ kind }) => kind === 'tool_result');
    expect(String(found?.data['output'])).toContain('planted');
    await fixture.api.call('DELETE', server);
    await decide(id, approval, { decision: 'approve' });
    expect(await done(id)).toMatchObject({ status: 'completed' });
    const { files } = (await fixture.api.call('GET', path(id, '/diff'))).json;
    expect(Object(files).map((file: { path: string }) => file.path)).toEqual(['answer2']);
  });

  test('keeps nothing that changed while its plan was made when that is interrupted', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const server = await plant();
    const prompt = script([{ search: 'planted' }, { tokens: 1_000, token_delay: 50 }]);
    const { id } = await fixture.create({ repository, prompt, require_plan_approval: true });
    const found = await fixture.event(id, ({ kind }) => kind === 'tool_result');
    expect(String(found.data['output'])).toContain('planted');
    await fixture.event(id, ({ kind, data }) => kind === 'message' && data['role'] === 'agent');
    await fixture.api.call('POST', path(id, '/interrupt'), { body: {} });
    expect(await fixture.reaches(id, 'waiting', 'failed')).toMatchObject({ status_detail: 'awaiting_user' });
    await fixture.api.call('DELETE', server);
    expect((await fixture.api.call('GET', path(id, '/diff'))).json).toMatchObject({ files: [] });
  });

  test('is told why its plan was denied, and hands in another one', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const prompt = script([
      submit('Write 43.'),
      submit('Write 42.'),
      { write: { path: 'answer', content: '42\n' } },
      { say: 'It is 42.' },
    ]);
    const { id } = await fixture.create({ repository, prompt, require_plan_approval: true, verify_command });
    await decide(id, await asks(id), { decision: 'deny', note: '43 is too much.' });
    const second = await asks(id, 2);
    expect(second.request.plan).toBe('Write 42.');
    expect(JSON.stringify(fixture.model.requests.at(-1)?.body)).toContain('43 is too much.');
    await decide(id, second, { decision: 'approve' });
    expect(await done(id)).toMatchObject({ status: 'completed', verification: 'fixed' });
    expect((await approvals(id)).map(({ state }) => state)).toEqual(['approved', 'denied']);
  });

  test('plans on with what its person says instead of deciding', async () => {
    await fixture.worker();
    const { id } = await fixture.create({
      prompt: script([submit('One.'), submit('Two.')]),
      require_plan_approval: true,
    });
    await asks(id);
    await say(id, 'What about two?');
    expect((await asks(id, 2)).request.plan).toBe('Two.');
    expect(JSON.stringify(fixture.model.requests.at(-1)?.body)).toContain('What about two?');
    await decide(id, (await approvals(id))[0] ?? (await asks(id, 2)), { decision: 'deny' });
    expect(await fixture.reaches(id, 'waiting')).toMatchObject({ status_detail: 'awaiting_user' });
  });

  test('proposes what it says last when it hands in no plan', async () => {
    await fixture.worker();
    const prompt = script([{ say: 'I would write 42.' }]);
    const { id } = await fixture.create({ prompt, require_plan_approval: true });
    expect((await asks(id)).request.plan).toBe('I would write 42.');
  });

  test('may still ask its person something first', async () => {
    await fixture.worker();
    const prompt = script([{ ask: 'Which number?' }, submit('Write 42.')]);
    const { id } = await fixture.create({ prompt, require_plan_approval: true });
    await fixture.event(id, ({ data }) => data['status_detail'] === 'awaiting_user');
    expect(await approvals(id)).toEqual([]);
    await say(id, '42');
    expect((await asks(id)).request.plan).toBe('Write 42.');
  });

  test('asks again for a plan that nobody decided because it was suspended', async () => {
    await fixture.worker();
    const prompt = script([submit('Write 42.')]);
    const { id } = await fixture.create({ prompt, require_plan_approval: true });
    await asks(id);
    await fixture.api.call('POST', path(id, '/suspend'), { body: {} });
    await fixture.api.call('POST', path(id, '/resume'), { body: {} });
    expect((await asks(id, 2)).request.plan).toBe('Write 42.');
    expect((await fixture.events(id)).filter(({ kind }) => kind === 'usage')).toHaveLength(1);
  });

  test('loses nothing with its worker, and asks once', async () => {
    const prompt = script([{ read: 'answer' }, submit('Write 42.')].map((step) => ({ ...step, delay: 500 })));
    const repository = await fixture.repository({ answer: '41\n' });
    const first = await fixture.worker({ id: 'first' });
    const { id } = await fixture.create({ repository, prompt, require_plan_approval: true, verify_command });
    await fixture.event(id, ({ kind }: TestEvent) => kind === 'tool_result');
    await first.close();
    await fixture.worker();
    const approval = await asks(id);
    await fixture.stopWorkers();
    await decide(id, approval, { decision: 'approve' });
    await fixture.worker();
    expect(await done(id)).toMatchObject({ status: 'completed' });
    expect(await approvals(id)).toHaveLength(1);
  });
});

describe('a script whose steps have to be approved', () => {
  const agent = {
    steps: [{ run: 'echo 42 > answer' }, { run: 'cat "$GUILDHALL_PROMPT_FILE" >> prompt', allow_failure: true }],
    summary: '',
    check: { command: 'grep -q 42 answer', files: [{ path: 'proof.txt', content: 'x' }] },
  };

  test('runs nothing before, its setup included, and runs as it was shown', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' }, { setup_command: 'echo set up' });
    const { id } = await fixture.create({ repository, prompt: 'Make it 42.', agent, require_plan_approval: true });
    const approval = await asks(id);
    for (const text of ['echo 42 > answer', 'cat "$GUILDHALL_PROMPT_FILE"', 'may fail', 'grep -q 42', 'proof.txt'])
      expect(approval.request.plan).toContain(text);
    const ran = (events: TestEvent[]) => events.filter(({ kind }) => kind === 'command');
    expect(ran(await fixture.events(id))).toEqual([]);
    const edited = await fixture.api.call('POST', path(id, `/approvals/${approval.id}`), {
      body: { decision: 'approve', edited_plan: 'Something else.' },
    });
    expect([edited.status, edited.json['error']]).toEqual([400, 'invalid_request']);
    await decide(id, approval, { decision: 'approve' });
    const ended = await done(id);
    expect(ended).toMatchObject({ status: 'completed', verification: 'fixed' });
    const clone = await fixture.clone(repository, ended.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'prompt'), 'utf8')).toContain('Make it 42.');
  });

  test('waits for its person when they are denied, and asks again with the next message', async () => {
    await fixture.worker();
    const { id } = await fixture.create({ agent, require_plan_approval: true });
    await decide(id, await asks(id), { decision: 'deny', note: 'No.' });
    expect(await fixture.get(id)).toMatchObject({ status: 'waiting', status_detail: 'awaiting_user' });
    await say(id, 'And now?');
    await asks(id, 2);
    expect((await fixture.events(id)).filter(({ kind }) => kind === 'command')).toEqual([]);
  });
});
