import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';
import type { SessionInput, TestSession } from '../../../test/support/sessions.ts';
import type { Sandbox, SandboxDriver } from '../../adapters/sandbox/port.ts';

let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await createModelFixture();
});

afterAll(() => fixture.close());

const settings = '/v3/organizations/default/settings/sandbox';
const files = { answer: '41\n' };
const right = 'echo 42 > answer';
const agent = (...steps: string[]) => ({ steps: steps.map((run) => ({ run })), summary: '' });
const phasesOf = ({ phases }: TestSession) => phases.map(({ name, status }) => `${name} ${status}`);
const phase = ({ phases }: TestSession, wanted: string) => phases.find(({ name }) => name === wanted);
const act = (id: string, action: string) =>
  fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/${action}`, { body: {} });

/** Returns the ended session, its change request's body, and its warnings. */
async function outcome(
  input: SessionInput,
  content: Record<string, string> = files,
): Promise<{ session: TestSession; body: string; warnings: Record<string, string> }> {
  await fixture.worker();
  const repository = await fixture.repository(content);
  const session = await fixture.run({ repository, ...input });
  const [request] = await fixture.changeRequests(repository);
  const warned = (await fixture.events(session.id)).filter(({ kind }) => kind === 'warning');
  const warnings = Object.fromEntries(warned.map(({ data }) => [String(data['code']), String(data['message'])]));
  return { session, body: request?.body ?? '', warnings };
}

const write = (name: string, text: string) => `printf '%s' '${text}' > ${name}; chmod +x ${name}`;

describe('a check that only the change brings', () => {
  test('proves nothing when it passes on the base commit too', async () => {
    const steps = agent(right, write('newcheck.sh', '#!/bin/sh\nexit 0\n'));
    const { session, body } = await outcome({ agent: steps, verify_command: './newcheck.sh' });
    expect(session).toMatchObject({ status: 'completed', verification: 'not_reproduced' });
    expect(phasesOf(session)).toEqual([
      'reproduce not_reproduced',
      'implement passed',
      'verify passed',
      'deliver passed',
    ]);
    expect(phase(session, 'reproduce')?.summary).toBe(
      'The check passes on the base commit, with newcheck.sh of the change copied onto it: the problem is not reproduced.',
    );
    expect(body).toContain('**Not verified: the problem was not reproduced.**');
    expect(body).toContain('with new files of this change copied onto it: `newcheck.sh`');
  });

  test('proves what it says when it fails on the base commit for a reason of its own', async () => {
    const steps = agent(right, write('newcheck.sh', '#!/bin/sh\necho "it is $(cat answer)"\ngrep -q 42 answer\n'));
    const { session, body } = await outcome({ agent: steps, verify_command: './newcheck.sh' });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    expect(phase(session, 'reproduce')?.evidence[0]).toMatchObject({ exit_code: 1, output_tail: 'it is 41\n' });
    expect(phase(session, 'reproduce')?.evidence[1]).toMatchObject({ kind: 'file', command: 'newcheck.sh' });
    expect(body).toContain('**Verified: fixed.**');
    expect(body).toContain('with new files of this change copied onto it: `newcheck.sh`');
  });

  test('is taken for its tests where the runner finds them by itself', async () => {
    const source =
      'import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(open("answer").read(), "42\\n")\n';
    const steps = agent(right, `mkdir tests; touch tests/__init__.py; printf '%s' '${source}' > tests/test_answer.py`);
    const verify_command = '/usr/bin/python3 -m unittest discover';
    const { session } = await outcome({ agent: steps, verify_command });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    expect(phase(session, 'reproduce')?.evidence.map(({ command }) => command)).toEqual([
      verify_command,
      'tests/__init__.py',
      'tests/test_answer.py',
    ]);
  });

  test('is run on the base commit again when a later turn has changed it', async () => {
    await fixture.worker();
    const repository = await fixture.repository(files);
    const second = write('newcheck.sh', '#!/bin/sh\nexit 0\n');
    const first = `${right}; ${write('newcheck.sh', '#!/bin/sh\ngrep -q 42 answer\n')}`;
    const steps = agent(`case $GUILDHALL_PROMPT_FILE in *-1.md) ${first};; *) ${second};; esac`);
    const { id } = await fixture.create({ repository, agent: steps, verify_command: './newcheck.sh' });
    expect(await fixture.reaches(id, 'completed')).toMatchObject({ verification: 'fixed' });
    const body = { content: 'go on', delivery: 'steer' };
    await fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/messages`, { body });
    await fixture.event(
      id,
      ({ kind, turn, data }) => kind === 'status' && turn === 2 && data['status'] === 'completed',
    );
    expect(await fixture.get(id)).toMatchObject({ verification: 'not_reproduced' });
  });
});

describe('a check that cannot run', () => {
  test('verifies nothing: the work is delivered, and everyone is told why and what to do', async () => {
    const { session, body, warnings } = await outcome({ agent: agent(right), verify_command: 'no-such-program' });
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', verification: 'could_not_run' });
    expect(phasesOf(session)).toEqual([
      'reproduce could_not_run',
      'implement passed',
      'verify could_not_run',
      'deliver passed',
    ]);
    expect(phase(session, 'reproduce')?.summary).toBe(
      'The check could not run on the base commit: `no-such-program` was not found.',
    );
    expect(phase(session, 'verify')?.summary).toContain('Not verified');
    expect(phase(session, 'verify')?.evidence[0]).toMatchObject({ problem: '`no-such-program` was not found.' });
    for (const text of [body, warnings['check_could_not_run'], warnings['not_verified']]) {
      expect(text).toContain('`no-such-program` was not found.');
      expect(text).toContain('environment.setup_command');
    }
    expect(body).toContain('**Not verified: the check could not run.**');
    expect(body).not.toContain('**Verified');
  });

  test('for lack of its runner is no failure of the agent, who is told before it begins', async () => {
    const prompt = script([{ edit: { path: 'answer', old: '41', new: '42' } }, { say: 'It is 42 now.' }]);
    const { session, warnings } = await outcome({ prompt }, { ...files, 'pytest.ini': '[pytest]\n' });
    expect(session).toMatchObject({ status: 'completed', verification: 'could_not_run' });
    const events = await fixture.events(session.id);
    expect(events.filter(({ kind }) => kind === 'usage')).toHaveLength(2);
    expect(events.filter(({ kind, data }) => kind === 'phase' && data['name'] === 'implement')).toHaveLength(2);
    expect(warnings['check_could_not_run']).toContain(
      'The check `python3 -m pytest` could not run on the base commit. Python has no module `pytest`.',
    );
    const told = fixture.model.requests.find(({ body }) => JSON.stringify(body).includes('It is 42 now.'));
    expect(JSON.stringify(told?.body)).toContain('Python has no module `pytest`.');
  });

  test('is not told again to an agent whose worker goes while its second try is checked', async () => {
    const first = await fixture.worker({ id: 'first' });
    const repository = await fixture.repository(files);
    const prompt = script([
      { write: { path: 'newcheck.sh', content: 'grep -q 42 answer\n' } },
      { say: 'A check.' },
      { run: right },
      { say: 'It is 42.' },
    ]);
    const verify_command = 'sh newcheck.sh && sleep 3; sh newcheck.sh';
    const { id } = await fixture.create({ repository, prompt, verify_command });
    await fixture.event(
      id,
      ({ kind, phase: name, data }) => kind === 'command' && name === 'verify' && data['exit_code'] === 1,
    );
    await fixture.until(async () => {
      const begun = (await fixture.events(id)).filter(
        ({ kind, phase: name, data }) => kind === 'command' && name === 'verify' && data['exit_code'] === null,
      );
      return begun.length === 2 ? true : undefined;
    }, 'the second try is checked');
    await first.drain(20_000);
    await fixture.worker();
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ verification: 'fixed', attempt_no: 2 });
    expect((await fixture.events(id)).filter(({ kind }) => kind === 'usage')).toHaveLength(4);
  });

  test('on the base commit alone never makes a fix', async () => {
    const steps = agent(right, "printf 'test:\\n\\tgrep -q 42 answer\\n' >> Makefile");
    const content = { ...files, Makefile: 'all:\n' };
    const { session, body } = await outcome({ agent: steps, verify_command: 'make test' }, content);
    expect(session).toMatchObject({ status: 'completed', verification: 'not_reproduced' });
    expect(phasesOf(session)[0]).toBe('reproduce could_not_run');
    expect(body).toContain('**Not verified: the check could not run on the base commit.**');
  });

  test('on the new commit alone is a failure, and the error says why', async () => {
    const content = { ...files, 'check.sh': 'grep -q 42 answer\n' };
    const { session } = await outcome({ agent: agent('rm check.sh; touch x'), verify_command: 'sh check.sh' }, content);
    expect(session).toMatchObject({ status: 'failed', status_detail: 'verify_failed', verification: 'failed' });
    expect(session.error?.message).toBe(
      'The check `sh check.sh` ran on the base commit but cannot run on the new commit: There is no `check.sh`.',
    );
  });

  test('on the new commit alone is told to the agent as what it is', async () => {
    const content = { ...files, 'check.sh': 'grep -q 42 answer\n' };
    const prompt = script([
      { run: 'rm check.sh' },
      { say: 'Gone.' },
      { run: 'git checkout check.sh && echo 42 > answer' },
      { say: 'Back.' },
    ]);
    const { session } = await outcome({ prompt, verify_command: 'sh check.sh' }, content);
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    const told = fixture.model.requests.map(({ body }) => JSON.stringify(body));
    expect(told.some((text) => text.includes('and it could not run. There is no `check.sh`.'))).toBe(true);
  });

  test('because it does not end proves nothing', async () => {
    const verify_command = 'echo begun; sleep 300';
    await fixture.worker({ change: (ctx) => ({ ...ctx, sandbox: impatient(ctx.sandbox, verify_command) }) });
    const repository = await fixture.repository(files);
    const session = await fixture.run({ repository, agent: agent(right), verify_command });
    expect(session).toMatchObject({ status: 'completed', verification: 'could_not_run' });
    expect(phase(session, 'verify')?.evidence[0]).toMatchObject({
      exit_code: 124,
      problem: 'It timed out and was stopped.',
    });
  });

  test('because the sandbox has too little memory proves nothing', async () => {
    expect((await fixture.api.call('PUT', settings, { body: { memory_mb: 128 } })).status).toBe(200);
    const verify_command = `/usr/bin/python3 -c 'x = bytearray(10 ** 9)'`;
    const { session } = await outcome({ agent: agent(right), verify_command });
    await fixture.api.call('DELETE', settings);
    expect(session).toMatchObject({ status: 'completed', verification: 'could_not_run' });
    expect(phase(session, 'verify')?.evidence[0]).toMatchObject({ problem: 'The sandbox ran out of memory.' });
  });
});

/** Returns a driver whose sandboxes stop this command early. */
function impatient(driver: SandboxDriver, command: string): SandboxDriver {
  const hurried = (sandbox: Sandbox): Sandbox => {
    const exec = sandbox.exec.bind(sandbox);
    sandbox.exec = (options) => exec(options.command === command ? { ...options, timeoutMs: 500 } : options);
    return sandbox;
  };
  return { ...driver, create: async (options) => hurried(await driver.create(options)) };
}

describe('a phase that a person cuts short', () => {
  test.each([
    ['interrupt', 'waiting'],
    ['suspend', 'suspended'],
  ])('by %s is stopped, and has not failed', async (action, status) => {
    await fixture.worker();
    const repository = await fixture.repository(files);
    const { id } = await fixture.create({ repository, agent: agent('echo here; sleep 300'), verify_command: 'false' });
    await fixture.event(id, ({ kind, data }) => kind === 'output' && String(data['text']).includes('here'));
    await act(id, action);
    expect(phasesOf(await fixture.reaches(id, status))).toEqual(['reproduce passed', 'implement stopped']);
  });

  test('while the check runs on the base commit is stopped, and runs again in the next turn', async () => {
    await fixture.worker();
    const repository = await fixture.repository(files);
    const verify_command = 'echo looking; test -e /tmp/x || sleep 300';
    const { id } = await fixture.create({ repository, agent: agent(right), verify_command });
    await fixture.event(id, ({ kind, data }) => kind === 'output' && String(data['text']).includes('looking'));
    await act(id, 'interrupt');
    expect(phasesOf(await fixture.reaches(id, 'waiting'))).toEqual(['reproduce stopped']);
  });
});
