import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { script } from '@guildhall/scripted-model';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';
import type { TestEvent } from '../../../test/support/sessions.ts';

let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await createModelFixture();
});

afterAll(() => fixture.close());

const path = (id: string, rest = '') => `/v3/organizations/default/sessions/${id}${rest}`;
const act = (id: string, action: string) => fixture.api.call('POST', path(id, `/${action}`), { body: {} });
const say = (id: string, content: string) => fixture.api.call('POST', path(id, '/messages'), { body: { content } });
const started = (command: string) => (event: TestEvent) =>
  event.kind === 'command' && event.data['command'] === command;
const ended = (turn: number) => (event: TestEvent) =>
  event.kind === 'status' && event.turn === turn && event.data['status'] === 'completed';

/** Returns the agent's messages in a turn. */
async function said(id: string, turn: number): Promise<string> {
  const events = (await fixture.events(id)).filter((event) => event.kind === 'message' && event.turn === turn);
  return events.map(({ data }) => (data['role'] === 'agent' ? String(data['delta']) : '')).join('');
}

describe('a session of the built-in agent', () => {
  test('does the task and proves it; its record says which model it used, and what that took', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const prompt = script([
      { read: 'answer' },
      { edit: { path: 'answer', old: '41', new: '42' } },
      { run: 'cat answer' },
      { say: 'It is 42 now.' },
    ]);
    const session = await fixture.run({ repository, prompt, verify_command: 'grep -q 42 answer' });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed', change_requests: [{ number: 1 }] });
    const { json } = await fixture.api.call('GET', path(session.id));
    expect(json['model']).toBe('openai/scripted');
    const usage = (await fixture.events(session.id)).filter(({ kind }) => kind === 'usage').map(({ data }) => data);
    expect(usage).toHaveLength(4);
    const sum = (field: string) => usage.reduce((total, data) => total + Number(data[field]), 0);
    expect(json['usage']).toMatchObject({ input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') });
    const [request] = await fixture.changeRequests(repository);
    expect(request?.body).toContain('It is 42 now.');
  });

  test('is told nothing again when its worker goes while the second try is checked', async () => {
    const first = await fixture.worker({ id: 'first' });
    const repository = await fixture.repository({ answer: '41\n' });
    const prompt = script([
      { write: { path: 'answer', content: '43\n' } },
      { say: 'I think it is 43.' },
      { write: { path: 'answer', content: '42\n' } },
      { say: 'It is 42.' },
    ]);
    const check = 'grep -q 42 answer && sleep 3; grep -q 42 answer';
    const { id } = await fixture.create({ repository, prompt, verify_command: check });
    const { seq } = await fixture.event(id, ({ data }) => data['role'] === 'platform');
    await fixture.event(id, (event) => event.seq > seq && event.phase === 'verify' && started(check)(event));
    await first.drain(20_000);
    await fixture.worker();
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempt_no: 2 });
    const events = await fixture.events(id);
    expect(events.filter(({ kind }) => kind === 'usage')).toHaveLength(4);
    expect(events.filter(({ data }) => data['role'] === 'platform')).toHaveLength(1);
  });

  test('goes on when its check fails, with what the check printed', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const prompt = script([
      { write: { path: 'answer', content: '43\n' } },
      { say: 'I think it is 43.' },
      { write: { path: 'answer', content: '42\n' } },
      { say: 'It is 42.' },
    ]);
    const verify_command = 'echo "it is $(cat answer)"; grep -q 42 answer';
    const session = await fixture.run({ repository, prompt, verify_command });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    const asked = JSON.stringify(fixture.model.requests.at(-1)?.body);
    expect(asked).toContain('it is 43');
    expect(await fixture.changeRequests(repository)).toHaveLength(1);
    // Readers see what it was told, and that the turn is still the user's.
    const events = await fixture.events(session.id);
    const told = events.filter(({ kind, data }) => kind === 'message' && data['role'] === 'platform');
    expect(told).toMatchObject([{ turn: 1, data: { done: true, delta: expect.stringContaining('it is 43') } }]);
    expect(new Set(events.filter(({ phase }) => phase !== '').map(({ turn }) => turn))).toEqual(new Set([1]));
    expect((await fixture.api.call('GET', path(session.id, '/messages'))).json['total']).toBe(1);
  });

  test('names the call behind each command and what it prints; one that printed too much leads to all of it', async () => {
    await fixture.worker();
    const long = 'yes 0123456789 | head -c 400000';
    const prompt = script([{ run: 'echo short' }, { run: long }, { say: 'Done.' }]);
    const { id } = await fixture.run({ prompt });
    const events = await fixture.events(id);
    const calls = events.filter(({ kind }) => kind === 'tool_call').map(({ data }) => data['call_id']);
    expect(calls).toHaveLength(2);
    for (const [index, call] of calls.entries()) {
      const own = events.filter(({ kind, data }) => kind !== 'usage' && data['call_id'] === call);
      const kinds = [...new Set(own.map(({ kind }) => kind))];
      expect(kinds).toEqual(['tool_call', 'command', 'output', 'tool_result']);
      const [start, end] = own.filter(({ kind }) => kind === 'command').map(({ data }) => data);
      const result = own.at(-1)?.data;
      expect([start?.['artifact_id'], end?.['exit_code']]).toEqual([null, 0]);
      if (index === 0) expect([end?.['artifact_id'], result?.['artifact_id']]).toEqual([null, null]);
      else expect(end?.['artifact_id']).toBe(result?.['artifact_id']);
    }
    const { data: end } = events.findLast(({ kind }) => kind === 'command') ?? {};
    const artifact = String(end?.['artifact_id']);
    const whole = await fixture.api.call('GET', path(id, `/artifacts/${artifact}`));
    expect(whole.text).toHaveLength(400_000);
    const warning = events.find(({ kind }) => kind === 'warning')?.data;
    expect(warning).toMatchObject({ code: 'output_truncated' });
    expect(warning?.['message']).toContain(`\`${long}\` wrote more than 256 KiB`);
    expect(warning?.['message']).toContain(artifact);
  });

  test('tells of each file that it changes once, with the call that did it, below the workspace', async () => {
    await fixture.worker();
    const [one, two] = [
      await fixture.repository({ answer: '41\n', old: 'gone\n' }),
      await fixture.repository({ other: 'x\n' }),
    ];
    const [name, other] = [one, two].map(({ repo }) => repo.slice(repo.indexOf('/') + 1));
    const prompt = script([
      { write: { path: `${name}/new.txt`, content: 'a\nb\n' } },
      { edit: { path: `${name}/answer`, old: '41', new: '42' } },
      { run: `cd ${name} && rm old && printf 'a\\nb\\nc\\n' > new.txt && head -c 10 /dev/zero > ../${other}/zeros` },
      { say: 'Done.' },
    ]);
    const { id } = await fixture.run({ repositories: [{ repo: one.repo }, { repo: two.repo }], prompt });
    const events = await fixture.events(id);
    const calls = events.filter(({ kind }) => kind === 'tool_call').map(({ data }) => data['call_id']);
    expect(calls).toHaveLength(3);
    const told = events.filter(({ kind }) => kind === 'file_change').map(({ data }) => data);
    expect(told).toEqual([
      { path: `${name}/new.txt`, change: 'added', additions: 2, deletions: 0, call_id: calls[0] },
      { path: `${name}/answer`, change: 'modified', additions: 1, deletions: 1, call_id: calls[1] },
      { path: `${name}/new.txt`, change: 'modified', additions: 1, deletions: 0, call_id: calls[2] },
      { path: `${name}/old`, change: 'deleted', additions: 0, deletions: 1, call_id: calls[2] },
      { path: `${other}/zeros`, change: 'added', additions: 0, deletions: 0, call_id: calls[2] },
    ]);
    // They are logged with the checkpoint that includes them.
    const last = events.findLastIndex(({ kind }) => kind === 'file_change');
    expect(events[last + 1]).toMatchObject({ kind: 'checkpoint' });
  });

  test('without a repository tells of no checkpoint before there is one', async () => {
    await fixture.worker();
    const prompt = script([{ run: 'true' }, { write: { path: 'note', content: 'x\n' } }, { say: 'Done.' }]);
    const { id } = await fixture.run({ repositories: [], prompt });
    const events = await fixture.events(id);
    const commits = events.filter(({ kind }) => kind === 'checkpoint').map(({ data }) => data['commit']);
    expect(commits).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);
    expect(events.filter(({ kind }) => kind === 'file_change')).toMatchObject([{ data: { path: 'note' } }]);
  });

  test('is steered by three messages while it works, each before its next model call', async () => {
    await fixture.worker();
    const commands = [1, 2, 3].map((n) => `sleep 1.5; echo ${n} >> log`);
    const prompt = script([...commands.map((run) => ({ run })), { say: 'Done.' }]);
    const { id } = await fixture.create({ prompt });
    for (const [index, command] of commands.entries()) {
      await fixture.event(id, started(command));
      expect((await say(id, `Steer ${index + 1}`)).status).toBe(202);
    }
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempt_no: 1 });
    const told = (await fixture.events(id)).filter(({ kind, data }) => kind === 'usage' || data['role'] === 'user');
    const shown = ({ kind, data }: TestEvent) => (kind === 'usage' ? 'call' : String(data['delta'] || data['state']));
    expect(told.map((event) => shown(event).slice(0, 9))).toEqual([
      prompt.slice(0, 9),
      'delivered',
      ...[1, 2, 3].flatMap((n) => ['call', `Steer ${n}`, 'delivered']),
      'call',
    ]);
    const last = JSON.stringify(fixture.model.requests.at(-1)?.body);
    for (const n of [1, 2, 3]) expect(last).toContain(`Steer ${n}`);
  });

  test('is interrupted within a second in the middle of an answer, and a message goes on', async () => {
    await fixture.worker();
    const { id } = await fixture.create({ prompt: script([{ tokens: 1_000, token_delay: 50 }]) });
    await fixture.event(id, ({ kind, data }) => kind === 'message' && data['role'] === 'agent');
    expect((await act(id, 'interrupt')).status).toBe(200);
    const asked = Date.now();
    await fixture.reaches(id, 'waiting');
    expect(Date.now() - asked).toBeLessThan(5_000);
    const events = await fixture.events(id);
    // The interrupted text is ended, so that clients do not wait for more.
    expect(events.findLast(({ kind }) => kind === 'message')?.data['done']).toBe(true);
    await say(id, script([{ say: 'Back again.' }]));
    await fixture.reaches(id, 'completed');
    expect(await said(id, 2)).toBe('Back again.');
  });

  test('asks its person, waits, and goes on with the answer', async () => {
    await fixture.worker();
    const { id } = await fixture.create({ prompt: script([{ ask: 'Which colour?' }, { say: 'Then it is done.' }]) });
    expect(await fixture.reaches(id, 'waiting', 'failed')).toMatchObject({ status_detail: 'awaiting_user' });
    expect(await said(id, 1)).toContain('Which colour?');
    await say(id, 'Blue, please.');
    await fixture.reaches(id, 'completed');
    expect(await said(id, 2)).toBe('Then it is done.');
    expect(JSON.stringify(fixture.model.requests.at(-1)?.body)).toContain('Blue, please.');
  });

  test.each(['ask', 'plan'])(
    'in mode %s only looks: it has no tool that changes files, and delivers nothing',
    async (mode) => {
      await fixture.worker();
      const repository = await fixture.repository({ answer: '41\n' });
      const prompt = script([{ read: 'answer' }, { say: 'It says 41.' }]);
      const session = await fixture.run({ repository, prompt, mode, verify_command: 'false' });
      expect(session).toMatchObject({ status: 'completed', verification: '', change_requests: [] });
      expect(session.phases.map(({ name, status }) => `${name} ${status}`)).toEqual(['implement passed']);
      const { tools } = fixture.model.requests.at(-1)?.body ?? {};
      const offered = JSON.stringify(tools);
      expect(offered).toContain('read');
      for (const name of ['shell', 'write', 'edit']) expect(offered).not.toContain(`"name":"${name}"`);
    },
  );
});

describe('a budget', () => {
  test('stops the session between two calls; raised, it goes on where it was', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const usage = { input: 3_000, output: 100 };
    const steps = [1, 2, 3].map((n) => ({ run: `echo ${n} >> log`, usage }));
    const session = await fixture.run({
      repository,
      prompt: script([...steps, { say: 'Done.', usage }]),
      budget: { max_tokens: 8_000 },
    });
    const { id } = session;
    expect(session).toMatchObject({ status: 'suspended', status_detail: 'budget_reached', error: null });
    const events = await fixture.events(id);
    const budget = events.find(({ kind }) => kind === 'budget')?.data;
    expect(budget).toMatchObject({ limit: 'max_tokens', allowed: 8_000 });
    const calls = events.filter(({ kind }) => kind === 'usage').length;
    expect(budget?.['used']).toBe(calls * 3_100);

    const refused = await act(id, 'resume');
    expect([refused.status, refused.json['error']]).toEqual([402, 'budget_exceeded']);
    expect(refused.json['message']).toContain('max_tokens is 8000. Raise it');
    expect(await fixture.get(id)).toMatchObject({ status: 'suspended', attempt_no: 1 });
    await fixture.api.call('PATCH', path(id), { body: { budget: { max_tokens: 1_000_000 } } });
    expect((await act(id, 'resume')).status).toBe(200);
    const done = await fixture.reaches(id, 'completed', 'failed');
    expect(done.status).toBe('completed');
    const clone = await fixture.clone(repository, done.repositories[0]?.branch ?? '');
    // Each command ran once.
    expect(await readFile(join(clone, 'log'), 'utf8')).toBe('1\n2\n3\n');
  });

  test('of cost is not begun with a model whose price nobody knows', async () => {
    await fixture.worker();
    const session = await fixture.run({ prompt: script([{ say: 'Hello.' }]), budget: { max_cost_usd: 1 } });
    expect(session).toMatchObject({ status: 'suspended', status_detail: 'budget_reached' });
    const warning = (await fixture.events(session.id)).find(({ kind }) => kind === 'warning');
    expect(warning?.data['message']).toContain('the price of openai/scripted is unknown');
  });
});

describe('a session after its turn', () => {
  test('answers the next message with the sandbox that it has', async () => {
    const worker = await fixture.worker();
    const { id } = await fixture.run({ prompt: script([{ run: 'echo kept > /tmp/mark' }, { say: 'One.' }]) });
    await fixture.until(async () => (worker.busy() === 0 ? true : undefined), 'the slot is free');
    await say(id, script([{ run: 'cat /tmp/mark' }, { say: 'Two.' }]));
    await fixture.event(id, ended(2));
    expect(await said(id, 2)).toBe('Two.');
    const result = (await fixture.events(id)).findLast(({ kind }) => kind === 'tool_result');
    expect(result?.data['output']).toContain('kept');
    expect(await fixture.get(id)).toMatchObject({ attempt_no: 1 });
  });

  test('keeps its sandbox however often it is told of while the database is slow, and so do others', async () => {
    const worker = await fixture.worker({ slots: 5 });
    const kept = await Promise.all([1, 2, 3].map(() => fixture.run({ prompt: script([{ say: 'One.' }]) })));
    await fixture.until(async () => (worker.busy() === 0 ? true : undefined), 'the slots are free');
    const slow = new Client({ connectionString: fixture.api.connectionString });
    await slow.connect();
    await slow.query('begin; lock table session_queues in access exclusive mode');
    for (const { id } of kept) {
      await say(id, script([{ say: 'Two.' }]));
      for (let told = 0; told < 5; told += 1)
        await fixture.api.ctx.db.pool.query("select pg_notify('guildhall_control', $1)", [id]);
    }
    await slow.end();
    for (const { id } of kept) {
      await fixture.event(id, ended(2));
      expect(await fixture.get(id)).toMatchObject({ attempt_no: 1 });
    }
  });

  test('gives way: others get the slot, and a message finds another worker when it is taken', async () => {
    await fixture.worker({ slots: 1, id: 'first' });
    const { id } = await fixture.run({ prompt: script([{ say: 'One.' }]) });
    const busy = await fixture.create({ prompt: script([{ run: 'sleep 60' }]) });
    await fixture.event(busy.id, started('sleep 60'));
    await say(id, script([{ say: 'Two.' }]));
    await fixture.until(async () => {
      const { rows } = await fixture.api.ctx.db.pool.query(
        'select 1 from sessions where id = $1 and lease_until is null',
        [id],
      );
      return rows.length === 1 ? true : undefined;
    }, 'the first worker gave it up');
    await fixture.startWorker({ slots: 1, id: 'second' });
    await fixture.event(id, ended(2));
    expect(await fixture.get(id)).toMatchObject({ attempt_no: 2 });
    await act(busy.id, 'cancel');
  });

  test('that waits is suspended at once, and a message resumes it', async () => {
    const worker = await fixture.worker();
    const { id } = await fixture.create({ prompt: script([{ ask: 'Which?' }, { say: 'Fine.' }]) });
    await fixture.reaches(id, 'waiting');
    const { json } = await act(id, 'suspend');
    expect(json).toMatchObject({ status: 'suspended', status_detail: 'user_request' });
    await say(id, 'That one.');
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    expect(await said(id, 2)).toBe('Fine.');
    expect(worker.busy()).toBeLessThan(2);
  });

  test('that was suspended in the middle of a command is told that its person did it, and when', async () => {
    await fixture.worker();
    const { id } = await fixture.create({ prompt: script([{ run: 'echo begun; sleep 60' }, { say: 'Seen.' }]) });
    await fixture.event(id, ({ kind }) => kind === 'output');
    await act(id, 'suspend');
    await fixture.reaches(id, 'suspended');
    expect((await act(id, 'resume')).status).toBe(200);
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    const asked = JSON.stringify(fixture.model.requests.at(-1)?.body);
    expect(asked).toMatch(/The user suspended the session at \d{4}-\d\d-\d\d \d\d:\d\d UTC while this ran/);
    expect(asked).not.toContain('lost the machine');
  });
});
