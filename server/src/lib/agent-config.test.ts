import { describe, expect, test } from 'vitest';
import { problemsOfCheck, problemsOfConfig } from './agent-config.ts';

const script = { steps: [{ run: 'npm test' }, { run: 'exit 1', allow_failure: true }], summary: 'Fix it' };

describe('script', () => {
  test('accepts what the contract lists', () => {
    expect(problemsOfConfig('script', script)).toEqual([]);
    const check = { command: 'npm test', files: [{ path: 'test/a.test.js', content: '' }] };
    expect(problemsOfConfig('script', { ...script, check })).toEqual([]);
    expect(problemsOfConfig('script', { ...script, check: { command: 'npm test' } })).toEqual([]);
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
    expect(problemsOfConfig('script', config).map(({ path, message }) => `${path} ${message}`)).toEqual(problems);
  });
});

describe('acp', () => {
  test('a preset may replace its command, and a custom one needs a command', () => {
    expect(problemsOfConfig('acp', { preset: 'codex' })).toEqual([]);
    expect(problemsOfConfig('acp', { preset: 'custom', command: 'my-agent', args: ['--acp'] })).toEqual([]);
    expect(problemsOfConfig('acp', { preset: 'custom' })).toEqual([
      { path: '/command', message: 'is required with the preset "custom"' },
    ]);
    expect(problemsOfConfig('acp', { preset: 'cursor' })).toEqual([
      { path: '/preset', message: 'must be one of claude-code, codex, opencode, gemini, qwen, custom' },
    ]);
    expect(problemsOfConfig('acp', {})).toEqual([{ path: '/preset', message: 'is required' }]);
  });
});

test('builtin has no settings', () => {
  expect(problemsOfConfig('builtin', {})).toEqual([]);
});

describe("the agent's check", () => {
  test.each(['test/a.js', 'a', '.github/workflows/ci.yml', 'a..b/c', '.gitignore', 'src/.git-hooks/x'])(
    'may add %s',
    (path) => expect(problemsOfCheck({ command: 'a', files: [{ path, content: '' }] })).toEqual([]),
  );

  test.each(['', '/etc/passwd', '../a', 'a/../b', 'a/..', '.', './a', '.git/config', '.git', 'a\\b', 'a\nb'])(
    'may not add %j',
    (path) => expect(problemsOfCheck({ command: 'a', files: [{ path, content: '' }] })).toHaveLength(1),
  );
});
