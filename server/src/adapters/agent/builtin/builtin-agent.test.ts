import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelProviders } from '../../../lib/models.ts';
import { agentContract } from '../contract.ts';
import { defaultSettings, openStage, runner, runTurn, type Stage } from './builtin-fixture.ts';

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
    unusable: { ...defaultSettings, model: '' },
    loseSandbox: () => sandbox.destroy(),
    close: () => sandbox.destroy(),
  };
});

describe('a turn', () => {
  test.each(modelProviders)('of a model of %s writes, edits, runs and says what it did', async (provider) => {
    const sandbox = await stage.sandbox();
    const seat = await stage.seat(sandbox, { model: stage.agentModel(provider) });
    const result = await runTurn(
      seat,
      script(
        [
          { think: 'First the file.', write: { path: 'greet.txt', content: 'Hello, Wrld\n' } },
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
    expect(seat.of('tool_result').map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(seat.of('tool_result').map(({ callId }) => callId)).toEqual(
      seat.of('tool_call').map(({ callId }) => callId),
    );
    expect(seat.of('output').map(({ text }) => text)).toEqual(['Hello, World\n']);
    expect(seat.text('thought')).toBe('First the file.');
    expect(seat.text()).toBe('It greets the world now.');
    expect(seat.of('usage').length).toBe(3);
    expect(seat.of('usage').every(({ inputTokens, outputTokens }) => inputTokens > 0 && outputTokens > 0)).toBe(true);
    expect(seat.states.length).toBe(2);
  });
});
