import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptConfig } from './config.ts';
import { createLog } from '../../../lib/log.ts';
import type { Sandbox } from '../../sandbox/port.ts';
import { createProcessDriver } from '../../sandbox/process/driver.ts';
import { agentContract, outputOf } from '../contract.ts';
import type { AgentEvent, AgentOptions, AgentResult, AgentSettings, AgentState } from '../port.ts';
import { createScriptRunner } from './script-agent.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'script-agent-'));
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

let count = 0;

function openSandbox(): Promise<Sandbox> {
  count += 1;
  const driver = createProcessDriver({ root, log: createLog('silent') });
  const limits = { cpu: 1, memory_mb: 512, disk_mb: 512, pids: 100 };
  return driver.create({ id: `ses_${count}`, limits });
}

function settingsOf(runtimeConfig: unknown): AgentSettings {
  return {
    mode: 'build',
    systemPrompt: '',
    briefing: '',
    model: '',
    maxTokens: null,
    temperature: null,
    runtimeConfig,
  };
}

/** A script records nothing, and keeps no output itself. */
const keeping = {
  record: () => Promise.reject(new Error('a script records nothing')),
  keepOutput: () => Promise.reject(new Error('a script keeps no output')),
};

agentContract('script', async () => {
  const sandbox = await openSandbox();
  return {
    runner: createScriptRunner(),
    sandbox,
    task: (commands) => ({
      settings: settingsOf({ steps: commands.map((run) => ({ run })), summary: 'Done.' }),
      text: 'Do it.',
    }),
    unusable: settingsOf({ steps: [] }),
    loseSandbox: () => sandbox.destroy(),
    close: () => sandbox.destroy(),
  };
});

describe('script', () => {
  interface Turn {
    result: AgentResult;
    events: AgentEvent[];
    states: AgentState[];
    sandbox: Sandbox;
  }

  async function runTurn(
    config: ScriptConfig,
    options: Partial<AgentOptions> & { turn?: number; stepTimeoutMs?: number; text?: string } = {},
  ): Promise<Turn> {
    const { turn = 1, text = 'Fix it.', stepTimeoutMs, ...rest } = options;
    const sandbox = await openSandbox();
    const events: AgentEvent[] = [];
    const states: AgentState[] = [];
    try {
      const agent = await createScriptRunner({ stepTimeoutMs }).start({
        ...keeping,
        sessionId: 'ses_42',
        sandbox,
        settings: settingsOf(config),
        onEvent: (event) => events.push(event),
        onStep: async (state) => void states.push(state),
        ...rest,
      });
      const result = await agent.prompt({ turn, text });
      await agent.close();
      return { result, events, states, sandbox };
    } finally {
      await sandbox.destroy();
    }
  }

  test('the summary is the result and the last message', async () => {
    const { result, events } = await runTurn({ steps: [{ run: 'true' }], summary: 'Use the new call.' });
    expect(result).toEqual({ stopReason: 'end_turn', summary: 'Use the new call.' });
    expect(events.at(-1)).toMatchObject({ kind: 'message', role: 'agent', delta: 'Use the new call.', done: true });
  });

  test('the check comes first, in every turn', async () => {
    const files = [{ path: 'test/new.test.js', content: 'x' }];
    const { events } = await runTurn({ steps: [{ run: 'true' }], summary: '', check: { command: 'npm test', files } });
    expect(events[0]).toEqual({ kind: 'check', command: 'npm test', files });
    const bare = await runTurn({ steps: [{ run: 'true' }], summary: '', check: { command: 'make' } });
    expect(bare.events[0]).toEqual({ kind: 'check', command: 'make', files: [] });
  });

  test('the first step that fails ends the turn, and the error names it', async () => {
    const { result, events } = await runTurn({
      steps: [{ run: 'true' }, { run: 'echo why; exit 3' }, { run: 'echo never' }],
      summary: 'x',
    });
    expect(result).toEqual({
      stopReason: 'error',
      summary: '',
      error: { code: 'agent_error', message: 'Step 2 of 3, `echo why; exit 3`, failed with exit code 3.' },
    });
    expect(outputOf(events, 'stdout')).toBe('why\n');
  });

  test('a step that may fail does not end the turn', async () => {
    const { result, events } = await runTurn({
      steps: [{ run: 'exit 3', allow_failure: true }, { run: 'echo reached' }],
      summary: '',
    });
    expect(result.stopReason).toBe('end_turn');
    expect(outputOf(events, 'stdout')).toBe('reached\n');
    expect(events.filter((event) => event.kind === 'command').map(({ exitCode }) => exitCode)).toEqual([
      undefined,
      3,
      undefined,
      0,
    ]);
  });

  test('a step that does not end is killed', async () => {
    const { result } = await runTurn({ steps: [{ run: 'sleep 60' }], summary: '' }, { stepTimeoutMs: 100 });
    expect(result.error?.message).toBe('Step 1 of 1, `sleep 60`, timed out after 0.1 s (exit code 124).');
  });

  test('a step sees the prompt and the session, and the prompt is not in the work tree', async () => {
    const text = 'Fix "it" — $HOME\nnow.';
    const { events } = await runTurn(
      { steps: [{ run: 'cat "$GUILDHALL_PROMPT_FILE"; echo; echo "$GUILDHALL_SESSION_ID"; ls -A .' }], summary: '' },
      { text },
    );
    expect(outputOf(events, 'stdout')).toBe(`${text}\nses_42\n`);
  });

  test('a character that is cut between two chunks arrives whole', async () => {
    const { events } = await runTurn({
      steps: [{ run: String.raw`printf 'a\xe2\x82'; sleep 1; printf '\xacb\xff'` }],
      summary: '',
    });
    expect(outputOf(events, 'stdout')).toBe('a€b\ufffd');
    expect(events.filter(({ kind }) => kind === 'output').length).toBeGreaterThanOrEqual(2);
  });

  test('a state of an earlier turn does not shorten the next one', async () => {
    const steps = [{ run: 'echo 1' }, { run: 'echo 2' }];
    const { events, states } = await runTurn({ steps, summary: '' }, { state: { turn: 1, finishedSteps: 2 }, turn: 2 });
    expect(outputOf(events, 'stdout')).toBe('1\n2\n');
    expect(states).toEqual([
      { turn: 2, finishedSteps: 1 },
      { turn: 2, finishedSteps: 2 },
    ]);
  });

  test('a state after the last step ends the turn at once', async () => {
    const { result, events } = await runTurn(
      { steps: [{ run: 'echo 1' }], summary: 'Done.' },
      { state: { turn: 1, finishedSteps: 1 } },
    );
    expect(result.stopReason).toBe('end_turn');
    expect(outputOf(events, 'stdout')).toBe('');
  });

  test.each([{ turn: 1, finishedSteps: 9 }, { turn: 1 }, { messages: [] }])(
    'a state of something else, %j, is refused',
    async (state) => {
      await expect(runTurn({ steps: [{ run: 'true' }], summary: '' }, { state })).rejects.toThrow(
        'The state to resume belongs to another script.',
      );
    },
  );

  test('a second prompt during a turn is refused', async () => {
    const sandbox = await openSandbox();
    const agent = await createScriptRunner().start({
      ...keeping,
      sessionId: 'ses_42',
      sandbox,
      settings: settingsOf({ steps: [{ run: 'sleep 60' }], summary: '' }),
      onEvent: () => undefined,
      onStep: () => Promise.resolve(),
    });
    const first = agent.prompt({ turn: 1, text: '' });
    await expect(agent.prompt({ turn: 2, text: '' })).rejects.toThrow('already runs a turn');
    await agent.close();
    expect(await first).toMatchObject({ stopReason: 'canceled' });
    await sandbox.destroy();
  });
});
