import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelKinds } from '../../../lib/models.ts';
import { agentContract } from '../contract.ts';
import { defaultSettings, Mailbox, openStage, runner, runTurn, type Stage } from './builtin-fixture.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

agentContract('builtin', async () => {
  const sandbox = await stage.sandbox();
  return {
    runner,
    sandbox,
    options: ({ model }) => (model === '' ? {} : { model: stage.agentModel() }),
    task: (commands) => ({
      settings: defaultSettings,
      text: `Do it.\n${script(commands.map((run) => ({ run })))}`,
    }),
    callTool: (name, input) => ({
      settings: defaultSettings,
      text: `Do it.\n${script([{ call: { name, input: { ...input } } }, { say: 'Done.' }])}`,
    }),
    unusable: { ...defaultSettings, model: '' },
    loseSandbox: () => sandbox.destroy(),
    close: () => sandbox.destroy(),
  };
});

describe('a turn', () => {
  test.each(modelKinds)('of a model of %s writes, edits, runs and says what it did', async (provider) => {
    const sandbox = await stage.sandbox();
    const seat = await stage.seat(sandbox, { model: stage.agentModel(provider) });
    const result = await runTurn(
      seat,
      script(
        [
          { think: 'First the file.', text: 'I write it.', write: { path: 'greet.txt', content: 'Hello, Wrld\n' } },
          { parallel: [{ edit: { path: 'greet.txt', old: 'Wrld', new: 'World' } }, { run: 'cat greet.txt' }] },
        ],
        { say: 'It greets the world now.' },
      ),
    );
    expect(result).toEqual({ stopReason: 'end_turn', summary: 'It greets the world now.' });
    expect(String(await sandbox.readFile(`${sandbox.workspace}/greet.txt`))).toBe('Hello, World\n');
    expect(seat.of('tool_call').map(({ name, title }) => [name, title])).toEqual([
      ['write', 'Write greet.txt'],
      ['edit', 'Edit greet.txt'],
      ['shell', 'cat greet.txt'],
    ]);
    expect(seat.of('tool_call').map(({ readOnly }) => readOnly)).toEqual([false, false, false]);
    expect(seat.of('tool_result').map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(seat.of('tool_result').map(({ callId }) => callId)).toEqual(
      seat.of('tool_call').map(({ callId }) => callId),
    );
    expect(seat.of('output').map(({ text }) => text)).toEqual(['Hello, World\n']);
    expect(seat.text('thought')).toBe('First the file.');
    expect(seat.text()).toBe('I write it.It greets the world now.');
    expect(seat.of('usage').length).toBe(3);
    expect(seat.of('usage').every(({ inputTokens, outputTokens }) => inputTokens > 0 && outputTokens > 0)).toBe(true);
    expect(seat.states.length).toBe(2);
  });
});

describe('steering', () => {
  test('a message reaches the model before its next call, and is on record', async () => {
    const sandbox = await stage.sandbox();
    const seat = await stage.seat(sandbox);
    const mailbox = new Mailbox();
    const turn = seat.agent.prompt({
      turn: 1,
      text: script([{ run: 'echo started; until test -e go; do sleep 0.01; done' }]),
      takeMessages: mailbox.take,
    });
    await seat.seen((event) => event.kind === 'output');
    mailbox.put(`Something else.\n${script([{ write: { path: 'other.txt', content: 'x' } }], { say: 'Turned.' })}`);
    await sandbox.writeFile(`${sandbox.workspace}/go`, '');
    expect(await turn).toEqual({ stopReason: 'end_turn', summary: 'Turned.' });
    expect(String(await sandbox.readFile(`${sandbox.workspace}/other.txt`))).toBe('x');
    const types = seat.records.map(({ type }) => type);
    expect(types).toEqual(['turn', 'assistant', 'tool', 'user', 'assistant', 'tool', 'assistant']);
  });

  test('a message that came with the last answer is heard before the turn ends', async () => {
    const sandbox = await stage.sandbox();
    const mailbox = new Mailbox();
    const later = script([{ run: 'echo more > more.txt' }], { say: 'Now all.' });
    const seat = await stage.seat(sandbox, {
      onEvent: (event) => {
        if (event.kind === 'message' && event.delta.startsWith('First')) mailbox.put(later);
      },
    });
    const result = await seat.agent.prompt({
      turn: 1,
      text: script([{ say: 'First.' }]),
      takeMessages: mailbox.take,
    });
    expect(result).toEqual({ stopReason: 'end_turn', summary: 'Now all.' });
    expect(String(await sandbox.readFile(`${sandbox.workspace}/more.txt`))).toBe('more\n');
  });
});

describe('an interrupt', () => {
  test('in the middle of an answer ends it at once, and what was shown stays in the conversation', async () => {
    const sandbox = await stage.sandbox();
    const seat = await stage.seat(sandbox);
    const turn = runTurn(seat, script([{ tokens: 1_000, token_delay: 20 }]));
    await seat.seen((event) => event.kind === 'message' && event.delta.includes('w2'));
    const startedAt = performance.now();
    await seat.agent.interrupt();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(await turn).toEqual({ stopReason: 'canceled', summary: '' });
    expect(seat.of('message').at(-1)).toMatchObject({ delta: '', done: true });
    expect(seat.records.at(-1)).toEqual({
      type: 'assistant',
      content: [{ type: 'text', text: seat.text() }],
      cut: 'interrupted',
    });
    expect(await runTurn(seat, script([], { say: 'Yes?' }), 2)).toMatchObject({ summary: 'Yes?' });
  });

  test('in the middle of a command leaves a call that the next turn closes', async () => {
    const sandbox = await stage.sandbox();
    const seat = await stage.seat(sandbox);
    const turn = runTurn(seat, script([{ run: 'echo started; sleep 60' }]));
    await seat.seen((event) => event.kind === 'output');
    await seat.agent.interrupt();
    expect(await turn).toMatchObject({ stopReason: 'canceled' });
    expect(seat.of('command').at(-1)).toMatchObject({ exitCode: 137 });
    expect(seat.of('tool_result')).toEqual([]);
    expect(await runTurn(seat, script([], { say: 'On.' }), 2)).toMatchObject({ stopReason: 'end_turn' });
    expect(seat.of('tool_result')).toMatchObject([
      { ok: false, output: expect.stringContaining('The user interrupted you while this ran') },
    ]);
  });

  test.each(['missing', 'read'])('between many calls of %s in one answer leaves the others', async (name) => {
    const sandbox = await stage.sandbox();
    const ended = Promise.withResolvers<void>();
    let results = 0;
    const seat = await stage.seat(sandbox, {
      record: async (_entries, events) => {
        results += events.filter(({ kind }) => kind === 'tool_result').length;
        if (results === 3) ended.resolve(seat.agent.interrupt());
      },
    });
    const parallel = Array.from({ length: 60 }, (_, at) => ({ call: { name, input: { path: `missing-${at}` } } }));
    expect(await runTurn(seat, script([{ parallel }]))).toMatchObject({ stopReason: 'canceled' });
    await ended.promise;
    expect(results).toBe(3);
  });

  test('while a retry waits ends the wait', async () => {
    const sandbox = await stage.sandbox();
    const seat = await stage.seat(sandbox);
    const turn = runTurn(seat, script([{ say: 'x', fault: { status: 429, retry_after: 60 } }]));
    await seat.seen((event) => event.kind === 'warning');
    await seat.agent.interrupt();
    expect(await turn).toMatchObject({ stopReason: 'canceled' });
  });
});

test('closing ends what goes on in the background', async () => {
  const sandbox = await stage.sandbox();
  const seat = await stage.seat(sandbox);
  const command = 'sleep 60 & echo $! > pid; wait';
  await runTurn(seat, script([{ call: { name: 'shell', input: { command, background: true } } }]));
  const alive = async () => (await sandbox.exec({ command: 'kill -0 "$(cat pid)"', timeoutMs: 5_000 })).exitCode === 0;
  expect(await alive()).toBe(true);
  await seat.agent.close();
  await expect.poll(alive, { timeout: 5_000 }).toBe(false);
});

describe('a question', () => {
  test('ends the turn, and the next text is its answer', async () => {
    const sandbox = await stage.sandbox();
    const seat = await stage.seat(sandbox);
    const text = script([{ ask: 'Tabs or spaces?' }, { run: 'echo spaces > choice.txt' }], { say: 'Spaces it is.' });
    expect(await runTurn(seat, text)).toEqual({ stopReason: 'awaiting_user', summary: 'Tabs or spaces?' });
    expect(seat.of('message').at(-1)).toMatchObject({ delta: 'Tabs or spaces?', done: true });
    expect(seat.of('tool_result')).toEqual([]);
    expect(await runTurn(seat, 'Spaces.', 2)).toEqual({ stopReason: 'end_turn', summary: 'Spaces it is.' });
    expect(seat.of('tool_result')[0]).toMatchObject({ ok: true, output: expect.stringContaining('Spaces.') });
    expect(String(await sandbox.readFile(`${sandbox.workspace}/choice.txt`))).toBe('spaces\n');
  });

  test('is asked after the calls beside it, once, and an empty one not at all', async () => {
    const sandbox = await stage.sandbox();
    const seat = await stage.seat(sandbox);
    const text = script([{ parallel: [{ ask: '' }, { ask: 'Which?' }, { run: 'echo done' }, { ask: 'And?' }] }]);
    expect(await runTurn(seat, text)).toEqual({ stopReason: 'awaiting_user', summary: 'Which?' });
    expect(seat.of('tool_result').map(({ ok }) => ok)).toEqual([false, true, false]);
  });
});

describe('modes', () => {
  test.each(['ask', 'plan', 'propose'] as const)('%s offers nothing that can change files', async (mode) => {
    const sandbox = await stage.sandbox();
    await sandbox.writeFile(`${sandbox.workspace}/a.txt`, 'content');
    const seat = await stage.seat(sandbox, { settings: { mode } });
    const text = script([
      { read: 'a.txt' },
      { plan: [{ content: 'Look', status: 'pending' }] },
      { call: { name: 'shell', input: { command: 'touch b.txt' } } },
    ]);
    expect(await runTurn(seat, text)).toMatchObject({ stopReason: 'end_turn' });
    expect(seat.of('tool_result').map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(seat.of('tool_call').every(({ readOnly }) => readOnly)).toBe(true);
    expect(seat.of('plan')).toEqual([{ kind: 'plan', entries: [{ content: 'Look', status: 'pending' }] }]);
    expect(seat.of('command')).toEqual([]);
    expect(seat.states).toEqual([]);
    const { body } = stage.model.requests.at(-1) ?? {};
    expect(JSON.stringify(body?.['tools'])).toMatch(/^(?!.*"name":"(?:shell|write|edit|set_check)")/);
  });
});

describe('a plan', () => {
  test('is handed in, ends the turn, and the next text is the decision; another agent carries it out', async () => {
    const sandbox = await stage.sandbox();
    const planner = await stage.seat(sandbox, { settings: { mode: 'propose' } });
    const submit = { call: { name: 'submit_plan', input: { plan: 'Write it down.' } } };
    const text = script([submit, { run: 'echo done > result.txt' }], { say: 'It is written.' });
    const ended = { stopReason: 'awaiting_user', summary: 'Write it down.', plan: 'Write it down.' };
    expect(await runTurn(planner, text)).toEqual(ended);
    expect(planner.of('message').at(-1)).toMatchObject({ delta: 'Write it down.', done: true });
    await planner.agent.close();
    // A worker that takes over the turn has the same plan, without another model call.
    const asked = stage.model.requests.length;
    const { records } = planner;
    const again = await stage.seat(sandbox, { settings: { mode: 'propose' }, records });
    expect(await runTurn(again, text)).toEqual(ended);
    expect(stage.model.requests).toHaveLength(asked);
    const builder = await stage.seat(sandbox, { records });
    expect(await runTurn(builder, 'Approved.', 2)).toEqual({ stopReason: 'end_turn', summary: 'It is written.' });
    expect(builder.of('tool_result')[0]).toMatchObject({ ok: true, output: expect.stringContaining('Approved.') });
    expect(String(await sandbox.readFile(`${sandbox.workspace}/result.txt`))).toBe('done\n');
  });

  test.each(['build', 'plan', 'ask'] as const)(
    'cannot be handed in where nobody waits for one: in %s',
    async (mode) => {
      const seat = await stage.seat(await stage.sandbox(), { settings: { mode } });
      const submit = { call: { name: 'submit_plan', input: { plan: 'Mine.' } } };
      expect(await runTurn(seat, script([submit]))).toMatchObject({ stopReason: 'end_turn' });
      expect(seat.of('tool_result')).toMatchObject([
        { ok: false, output: expect.stringContaining('There is no tool') },
      ]);
    },
  );
});

describe('what the model does wrong', () => {
  test.each([
    ['an unknown tool', { call: { name: 'fly', input: {} } }, 'There is no tool "fly"'],
    ['a missing argument', { call: { name: 'write', input: { path: 'x' } } }, 'not valid'],
    ['an argument of another type', { call: { name: 'read', input: { path: 7 } } }, 'not valid'],
    ['a path outside', { call: { name: 'read', input: { path: '/etc/passwd' } } }, 'outside of the workspace'],
    ['a path that is none', { call: { name: 'read', input: { path: 'a\u0000b' } } }, 'NUL'],
  ])('%s is a result for it and no failure', async (_name, step, problem) => {
    const seat = await stage.seat(await stage.sandbox());
    expect(await runTurn(seat, script([step], { say: 'I see.' }))).toEqual({
      stopReason: 'end_turn',
      summary: 'I see.',
    });
    expect(seat.of('tool_result')).toMatchObject([{ ok: false, output: expect.stringContaining(problem) }]);
    expect(seat.states).toEqual([]);
  });

  test('the same failing call ends the turn before it costs the budget', async () => {
    const seat = await stage.seat(await stage.sandbox());
    const steps = Array.from({ length: 20 }, () => ({ run: 'exit 1' }));
    const result = await runTurn(seat, script(steps));
    expect(result).toMatchObject({
      stopReason: 'error',
      error: { code: 'agent_error', message: expect.stringContaining('8 times') },
    });
    expect(seat.of('tool_result')).toHaveLength(8);
  });

  test('an answer that the output limit cuts is continued', async () => {
    const seat = await stage.seat(await stage.sandbox(), { settings: { maxTokens: 5 } });
    const id = 'cut-answer';
    const result = await runTurn(seat, script([{ say: 'one two three four five six' }, { say: 'six seven.' }], { id }));
    expect(result).toEqual({ stopReason: 'end_turn', summary: 'one two three four five six seven.' });
    expect(seat.records.map(({ type }) => type)).toEqual(['turn', 'assistant', 'note', 'assistant']);
  });

  test('answers that the output limit cuts again and again end the turn', async () => {
    const seat = await stage.seat(await stage.sandbox(), { settings: { maxTokens: 2 } });
    const steps = Array.from({ length: 20 }, () => ({ say: 'one two three' }));
    const result = await runTurn(seat, script(steps));
    expect(result.error).toEqual({
      code: 'agent_error',
      message: 'The output limit cut 10 consecutive answers of the model.',
    });
  });
});
