import { describe, expect, test } from 'vitest';
import { acpPresets } from './acp/driver.ts';
import { agentDriver, agentRuntimes, createAgentRunners, runtimes, type Runtime } from './drivers.ts';

test('lists every runtime, and what does not work says why', () => {
  const rows = agentRuntimes({ version: '1.2.3', modelProblem: '' });
  expect(rows.map(({ id }) => id)).toEqual([
    'builtin',
    'script',
    ...acpPresets.filter((preset) => preset !== 'custom'),
  ]);
  for (const { installed, problem, version } of rows) {
    expect(installed).toBe(problem === '');
    expect(version).toBe(installed ? '1.2.3' : '');
  }
});

test('the built-in agent without a model within reach says what is missing', () => {
  const [builtin] = agentRuntimes({ version: '1.2.3', modelProblem: 'No model.' });
  expect(builtin).toMatchObject({ id: 'builtin', installed: true, problem: 'No model.' });
});

const script = { steps: [{ run: 'npm test' }, { run: 'exit 1', allow_failure: true }], summary: 'Fix it' };

describe('script', () => {
  test('accepts what the contract lists', () => {
    expect(agentDriver('script').problemsOfConfig(script)).toEqual([]);
    const check = { command: 'npm test', files: [{ path: 'test/a.test.js', content: '' }] };
    expect(agentDriver('script').problemsOfConfig({ ...script, check })).toEqual([]);
    expect(agentDriver('script').problemsOfConfig({ ...script, check: { command: 'npm test' } })).toEqual([]);
  });

  test.each([
    [{}, ['/steps is required', '/summary is required']],
    [null, [' must be an object']],
    [{ ...script, steps: [] }, ['/steps must have at least 1 item']],
    [{ ...script, steps: [{ run: '' }] }, ['/steps/0/run must have at least 1 character']],
    [{ ...script, steps: [{ run: 3 }] }, ['/steps/0/run must be a string']],
    [{ ...script, steps: [{ run: 'a', cwd: '/' }] }, ['/steps/0/cwd is not a known key']],
    [{ ...script, step: [], 'a/b': 1 }, ['/step is not a known key', '/a~1b is not a known key']],
    [{ ...script, check: {} }, ['/check/command is required']],
  ])('%j is refused with what is wrong', (config, problems) => {
    expect(
      agentDriver('script')
        .problemsOfConfig(config)
        .map(({ path, message }) => `${path} ${message}`),
    ).toEqual(problems);
  });
});

describe('acp', () => {
  test('a preset may replace its command, and a custom one needs a command', () => {
    expect(agentDriver('acp').problemsOfConfig({ preset: 'codex' })).toEqual([]);
    expect(agentDriver('acp').problemsOfConfig({ preset: 'custom', command: 'my-agent', args: ['--acp'] })).toEqual([]);
    expect(agentDriver('acp').problemsOfConfig({ preset: 'custom' })).toEqual([
      { path: '/command', message: 'is required with the preset "custom"' },
    ]);
    expect(agentDriver('acp').problemsOfConfig({ preset: 'cursor' })).toMatchObject([
      { path: '/preset', message: 'must be one of claude-code, codex, opencode, gemini, qwen, custom' },
    ]);
    expect(agentDriver('acp').problemsOfConfig({})).toMatchObject([{ path: '/preset', message: 'is required' }]);
  });
});

test('builtin has no settings', () => {
  expect(agentDriver('builtin').problemsOfConfig({})).toEqual([]);
});

test("a check is declared by a script's configuration, and by nothing else", () => {
  const config = { steps: [{ run: 'true' }], summary: '', check: { command: 'false' } };
  const declared = (runtime: Runtime, given: unknown) => agentDriver(runtime).declaredWork?.(given)?.check;
  expect(declared('script', config)).toEqual({ command: 'false' });
  expect(declared('builtin', config)).toBeUndefined();
  expect(declared('script', { ...config, steps: [] })).toBeUndefined();
});

test('a driver that declares work says which, and the runner of each has its capabilities', async () => {
  const runners = await createAgentRunners();
  for (const runtime of runtimes) {
    const { capabilities, declaredWork, createRunner } = agentDriver(runtime);
    expect(declaredWork !== undefined, runtime).toBe(capabilities.declaresWork);
    expect(runners[runtime]?.capabilities, runtime).toEqual(createRunner === undefined ? undefined : capabilities);
  }
});
