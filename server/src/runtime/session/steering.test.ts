import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { spawnChild } from '../../../test/support/child.ts';
import { startDatabaseProxy } from '../../../test/support/database-proxy.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent } from '../../../test/support/sessions.ts';
import { withSandboxes } from '../../../test/support/worker.ts';
import { createBubblewrapDriver } from '../../adapters/sandbox/bubblewrap/driver.ts';
import { createLog } from '../../lib/log.ts';
import type { Sandbox } from '../../adapters/sandbox/port.ts';

let fixture: RuntimeFixture;

beforeAll(async () => {
  fixture = await createRuntimeFixture();
});

afterAll(async () => {
  await fixture.close();
});

const files = { answer: '41\n' };
const verify_command = 'grep -q 42 answer';
const session = (id: string, action: string) =>
  fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/${action}`, { body: {} });
const say = (id: string, content: string, delivery = 'steer') =>
  fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/messages`, { body: { content, delivery } });
const printed = (text: string) => (event: TestEvent) =>
  event.kind === 'output' && String(event.data['text']).includes(text);
const checkpoint = (event: TestEvent) => event.kind === 'checkpoint';
/** Prints "here", and continues only if the turn is not the first. */
const patient = 'echo here; case $GUILDHALL_PROMPT_FILE in *-1.md) sleep 300;; esac';

describe('a message', () => {
  test('that comes while the session works makes another turn, which updates the same change request', async () => {
    await fixture.worker();
    const repository = await fixture.repository(files);
    const steps = [{ run: 'echo 42 >> answer; cat $GUILDHALL_PROMPT_FILE >> answer; echo here' }, { run: 'sleep 1' }];
    const { id } = await fixture.create({ repository, prompt: 'first', agent: { steps, summary: '' }, verify_command });
    await fixture.event(id, printed('here'));
    expect((await say(id, 'second')).status).toBe(202);
    const ended = await fixture.reaches(id, 'completed');
    const requests = await fixture.changeRequests(repository);
    expect(requests).toHaveLength(1);
    const clone = await fixture.clone(repository, ended.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('41\n42\nfirst42\nsecond');
    expect(await fixture.git(clone, 'rev-list', '--count', 'HEAD')).toBe('3');
    expect(await fixture.git(clone, 'rev-parse', 'HEAD')).toBe(requests[0]?.head_sha);
    expect((await fixture.events(id)).filter(({ kind }) => kind === 'change_request')).toHaveLength(2);
  });

  test('to a completed session begins a new turn from where it ended', async () => {
    await fixture.worker();
    const repository = await fixture.repository(files);
    const steps = [{ run: 'cat $GUILDHALL_PROMPT_FILE >> answer' }];
    const { id } = await fixture.run({
      repository,
      prompt: '42 first\n',
      agent: { steps, summary: '' },
      verify_command,
    });
    await say(id, 'second');
    await fixture.event(
      id,
      ({ kind, turn, data }) => kind === 'status' && turn === 2 && data['status'] === 'completed',
    );
    const requests = await fixture.changeRequests(repository);
    expect(requests).toHaveLength(1);
    const clone = await fixture.clone(repository, requests[0]?.head_ref ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('41\n42 first\nsecond');
    expect(await fixture.git(clone, 'rev-list', '--count', 'HEAD')).toBe('3');
  });
});

describe('an interrupt', () => {
  test('ends the turn within a second, and a message goes on from there', async () => {
    await fixture.worker();
    const repository = await fixture.repository(files);
    const agent = { steps: [{ run: `echo 42 > answer; ${patient}` }], summary: '' };
    const { id } = await fixture.create({ repository, agent, verify_command });
    await fixture.event(id, printed('here'));
    const interruptedAt = performance.now();
    expect((await session(id, 'interrupt')).status).toBe(200);
    const waiting = await fixture.reaches(id, 'waiting');
    expect(performance.now() - interruptedAt).toBeLessThan(5_000);
    expect(waiting).toMatchObject({ status_detail: 'awaiting_user', error: null });
    expect((await fixture.api.call('GET', `/v3/organizations/default/sessions/${id}/diff`)).json).toMatchObject({
      files: [{ path: 'answer' }],
    });
    await say(id, 'go on');
    expect(await fixture.reaches(id, 'completed')).toMatchObject({ verification: 'fixed' });
  });
});

describe('a cancellation', () => {
  test('in the middle of a command ends everything, and nothing is written afterwards', async () => {
    const worker = await fixture.worker();
    const { id } = await fixture.create({ agent: { steps: [{ run: patient }], summary: '' } });
    await fixture.event(id, printed('here'));
    await session(id, 'cancel');
    await fixture.until(async () => (worker.busy() === 0 ? true : undefined), 'the worker is free');
    const events = await fixture.events(id);
    expect(events.at(-1)).toMatchObject({ kind: 'status', data: { status: 'canceled' } });
    const ended = events.findLast(({ kind }) => kind === 'command');
    expect(ended?.data).toMatchObject({ command: patient, exit_code: 137 });
    const canceled = await fixture.get(id);
    expect(canceled).toMatchObject({ status: 'canceled', sandbox_state: 'none' });
    expect(canceled.phases.at(-1)).toMatchObject({ name: 'implement', status: 'stopped' });
    expect(events.at(-2)).toMatchObject({ kind: 'phase', data: { name: 'implement', status: 'stopped' } });
  });
});

describe('a lost worker', () => {
  test('costs no checkpoint: another one goes on with the same turn, and delivers once', async () => {
    const { api } = fixture;
    const directory = join(api.ctx.config.data, 'killed');
    await fixture.stopWorkers();
    const child = spawnChild(new URL('../../../test/support/worker-child.ts', import.meta.url), [
      api.ctx.config.data,
      api.connectionString,
      api.url,
      directory,
    ]);
    await child.number('started');
    const repository = await fixture.repository(files);
    const first = 'cat $GUILDHALL_PROMPT_FILE >> answer; echo 42 >> answer';
    const second = `echo here; test -e ~/.was-here || { mkdir ~/.was-here; sleep 2; }; echo second >> answer`;
    const { id } = await fixture.create({
      repository,
      prompt: 'task\n',
      agent: { steps: [{ run: first }, { run: second }], summary: '' },
      verify_command,
    });
    await fixture.event(id, checkpoint);
    child.process.kill('SIGKILL');
    await child.exited;
    const driver = createBubblewrapDriver({ root: join(directory, 'sandboxes'), log: createLog('silent') });
    // The agent's, and a prewarmed clean sandbox.
    expect(await driver.sweep()).toBe(2);
    await fixture.worker();
    const ended = await fixture.reaches(id, 'completed', 'failed');
    expect(ended).toMatchObject({ status: 'completed', verification: 'fixed', attempt_no: 2 });
    const requests = await fixture.changeRequests(repository);
    expect(requests).toHaveLength(1);
    const clone = await fixture.clone(repository, requests[0]?.head_ref ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('41\ntask\n42\nsecond\n');
  });

  test('that drains gives the session back with its work, and another one goes on at once', async () => {
    const first = await fixture.worker({ id: 'first' });
    const repository = await fixture.repository(files);
    const run = 'echo 42 >> answer; test -e drained || { touch drained; echo here; sleep 300; }; rm drained';
    const { id } = await fixture.create({ repository, agent: { steps: [{ run }], summary: '' }, verify_command });
    await fixture.event(id, printed('here'));
    await first.drain(20_000);
    await fixture.startWorker({ id: 'second' });
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempt_no: 2 });
    const [request] = await fixture.changeRequests(repository);
    const clone = await fixture.clone(repository, request?.head_ref ?? '');
    // The step ran twice, the second time on the result of the first.
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('41\n42\n42\n');
  });

  test('leaves a lease that runs out; what it still does is refused', async () => {
    const { ctx } = fixture.api;
    const worker = await fixture.worker({ id: 'slow' });
    const { id } = await fixture.create({
      agent: { steps: [{ run: 'echo 42 > answer; echo here; sleep 3; echo late' }], summary: '' },
    });
    await fixture.event(id, printed('here'));
    await ctx.db.pool.query('update sessions set fence = fence + 1 where id = $1', [id]);
    await fixture.until(async () => (worker.busy() === 0 ? true : undefined), 'the worker is free');
    expect((await fixture.events(id)).some(printed('late'))).toBe(false);
    // The next tests' workers would claim it once its lease has run out.
    const removed = await fixture.api.call('DELETE', `/v3/organizations/default/sessions/${id}?force=true`);
    expect(removed.status).toBe(204);
  });
});

describe('a lost database', () => {
  test('of one worker alone lets another one go on with its session, and it learns of that when it is back', async () => {
    const proxy = await startDatabaseProxy(fixture.api.connectionString);
    const cutOff = await fixture.worker({ id: 'cut off', connectionString: proxy.connectionString });
    const repository = await fixture.repository(files);
    const steps = [{ run: 'echo 42 >> answer' }, { run: 'echo here; sleep 4; echo 43 >> answer' }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await fixture.event(id, printed('here'));
    proxy.cut();
    await fixture.startWorker({ id: 'connected' });
    const ended = await fixture.reaches(id, 'completed', 'failed');
    expect(ended).toMatchObject({ status: 'completed', verification: 'fixed', attempt_no: 2 });
    const clone = await fixture.clone(repository, ended.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('41\n42\n43\n');
    expect(cutOff.busy()).toBe(1);
    proxy.mend();
    await fixture.until(async () => (cutOff.busy() === 0 ? true : undefined), 'the worker gave up');
    await proxy.close();
  });
});

describe('a lost sandbox', () => {
  const watched = () => {
    const sandboxes: Sandbox[] = [];
    return {
      agents: () => sandboxes.filter((sandbox) => sandbox.id.includes('-agent-')),
      options: { change: withSandboxes((sandbox) => sandboxes.push(sandbox)) },
    };
  };

  test('is replaced once from the last checkpoint; a second loss ends the session', async () => {
    const { agents, options } = watched();
    // Not only the first: a sandbox may have been opened in advance and given up.
    const lose = () => Promise.all(agents().map((sandbox) => sandbox.stop()));
    await fixture.worker(options);
    const repository = await fixture.repository(files);
    const steps = [{ run: 'echo 42 >> answer' }, { run: 'cat answer; echo here; sleep 300' }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' } });
    const seen = (times: number) =>
      fixture.until(
        async () => ((await fixture.events(id)).filter(printed('here')).length >= times ? true : undefined),
        `${times} times here`,
      );
    await seen(1);
    await lose();
    await seen(2);
    const outputs = (await fixture.events(id))
      .filter(({ kind }) => kind === 'output')
      .map(({ data }) => String(data['text']));
    expect(outputs.join('')).toBe('41\n42\nhere\n41\n42\nhere\n');
    await lose();
    expect(await fixture.reaches(id, 'failed')).toMatchObject({
      status_detail: 'sandbox_lost',
      sandbox_state: 'missing',
    });
  });
});

describe('a budget', () => {
  test('of minutes suspends the session when it is used up, with its work kept', async () => {
    await fixture.worker();
    const repository = await fixture.repository(files);
    const agent = { steps: [{ run: 'echo 42 > answer; echo here; sleep 300' }], summary: '' };
    const { id } = await fixture.create({ repository, agent, budget: { max_minutes: 0.05 } });
    expect(await fixture.reaches(id, 'suspended', 'failed')).toMatchObject({
      status: 'suspended',
      status_detail: 'budget_reached',
    });
    expect((await fixture.api.call('GET', `/v3/organizations/default/sessions/${id}/diff`)).json).toMatchObject({
      files: [{ path: 'answer' }],
    });
  });

  test('of turns suspends the session before another one', async () => {
    await fixture.worker();
    const agent = { steps: [{ run: 'cat $GUILDHALL_PROMPT_FILE >> answer' }], summary: '' };
    const { id } = await fixture.run({ agent, budget: { max_turns: 1 } });
    await say(id, 'more');
    expect(await fixture.reaches(id, 'suspended')).toMatchObject({ status_detail: 'budget_reached' });
    const budget = (await fixture.events(id)).find(({ kind }) => kind === 'budget');
    expect(budget?.data).toEqual({ limit: 'max_turns', used: 1, allowed: 1 });
  });
});

describe('a checkpoint', () => {
  test('is taken while a command runs', async () => {
    await fixture.worker();
    const repository = await fixture.repository(files);
    const { id } = await fixture.create({
      repository,
      agent: { steps: [{ run: 'echo 42 > answer; sleep 300' }], summary: '' },
    });
    await fixture.event(id, checkpoint);
    const commands = (await fixture.events(id)).filter(
      ({ kind, phase }) => kind === 'command' && phase === 'implement',
    );
    expect(commands).toHaveLength(1);
    expect((await fixture.api.call('GET', `/v3/organizations/default/sessions/${id}/patch`)).text).toContain('+42');
    await session(id, 'cancel');
  });
});
