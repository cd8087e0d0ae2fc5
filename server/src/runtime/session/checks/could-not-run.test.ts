import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whyCheckDidNotRun } from './could-not-run.ts';
import { recorded, recordedFailures } from './runner-outputs-fixture.ts';

const ended = { timedOut: false, outOfMemory: false };
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guildhall-runners-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Returns the problem of a command among these files, run like a check. */
async function problemIn(command: string, files: Record<string, string>): Promise<{ exit: unknown; problem: string }> {
  const cwd = await mkdtemp(join(directory, 'project-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
    if (name.endsWith('.sh')) await chmod(join(cwd, name), 0o755);
  }
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const { exitCode, all } = await execa('bash', ['-c', command], {
    cwd,
    env: { PATH: path, HOME: cwd },
    extendEnv: false,
    all: true,
    reject: false,
    stripFinalNewline: false,
  });
  const exit = exitCode ?? null;
  return { exit, problem: whyCheckDidNotRun({ ...ended, exitCode: exit, outputTail: all }) };
}

const script = (command: string) => ({ 'package.json': JSON.stringify({ name: 'x', scripts: { test: command } }) });
const failing = { 'fail.sh': '#!/bin/sh\necho "expected 42"\nexit 1\n' };
const python = (body: string) => `import unittest\nclass T(unittest.TestCase):\n    def test_a(self): ${body}\n`;

describe('a check could not run where, really run here,', () => {
  test.each([
    ['no-such-program --all', {}, '`no-such-program` was not found.'],
    ['./newcheck.sh', {}, '`./newcheck.sh` was not found.'],
    ['sh newcheck.sh', {}, 'There is no `newcheck.sh`.'],
    ['bash newcheck.sh', {}, '`newcheck.sh` was not found.'],
    ['./check', { check: '#!/bin/sh\n' }, 'A command could not be executed.'],
    ['make test', {}, "make says: No rule to make target 'test'."],
    ['make', {}, 'make says: No targets specified and no makefile found.'],
    ['make test', { Makefile: 'test:\n\tno-such-runner --all\n' }, '`no-such-runner` was not found.'],
    ['npm test', script('no-such-runner'), '`no-such-runner` was not found.'],
    ['npm run check', script('true'), 'npm says: Missing script: "check"'],
    ['node check.mjs', {}, /^There is no `.*check\.mjs`\.$/],
    ['node --import no-such-loader check.mjs', {}, 'Node.js found no package `no-such-loader`.'],
    ['node --require no-such-loader/register check.mjs', {}, 'Node.js found no package `no-such-loader`.'],
    ['node a.mjs', { 'a.mjs': "import 'tape';\n" }, 'Node.js found no package `tape`.'],
    ['node a.cjs', { 'a.cjs': "require('tape');\n" }, 'Node.js found no package `tape`.'],
    ['node --test missing.test.js', {}, /^node --test found no `.*missing\.test\.js`\.$/],
    ['node --test', {}, 'node --test found no tests.'],
    ['npm test', script('node --test'), 'node --test found no tests.'],
    ['/usr/bin/python3 -m no_such_runner', {}, 'Python has no module `no_such_runner`.'],
    ['/usr/bin/python3 -m tests.all', {}, 'Python has no module `tests.all`.'],
    ['/usr/bin/python3 tests/test_a.py', {}, /^There is no `.*tests\/test_a\.py`\.$/],
    ['/usr/bin/python3 a.py', { 'a.py': 'import nose2\n' }, 'Python has no module `nose2`.'],
    ['/usr/bin/python3 -m unittest tests.test_a', {}, 'unittest found no test module `tests`.'],
    ['/usr/bin/python3 -m unittest tests/test_a.py', {}, 'unittest found no test module `tests/test_a`.'],
    ['/usr/bin/python3 -m unittest discover -s tests', {}, "unittest found no directory 'tests'."],
    ['/usr/bin/python3 -m unittest', {}, /^unittest found no tests\.$/],
    ['kill -9 $$', {}, 'It was killed.'],
  ])('`%s`', async (command, files, problem) => {
    const found = await problemIn(command, files);
    if (problem instanceof RegExp) expect(found.problem).toMatch(problem);
    else expect(found.problem).toBe(problem);
  });
});

describe('a check ran, whatever it says, where', () => {
  const words = [
    'bash: line 1: pytest: command not found',
    '/usr/bin/python3: No module named pytest',
    "ModuleNotFoundError: No module named 'pytest'",
    'No tests found, exiting with code 1',
    'No test files found, exiting with code 1',
    'Couldn’t find any files to test',
    'npm error Missing script: "test"',
    "make: *** No rule to make target 'test'.  Stop.",
    'no Go files in /workspace',
    '============================ no tests ran in 0.00s =============================',
    "Error: Cannot find module '/workspace/check.js'",
    'error: could not find `Cargo.toml` in `/workspace` or any parent directory',
  ];
  const saying = `#!/bin/sh\ncat <<'EOF'\n${words.join('\n')}\nEOF\necho "expected 42 and got 41"\nexit 1\n`;
  test.each([
    ['a test fails', './fail.sh', failing],
    ['a test prints what runners say, and fails', './say.sh', { 'say.sh': saying }],
    ['a command below make fails', 'make test', { Makefile: 'test:\n\t./fail.sh\n', ...failing }],
    ['make lacks what its target needs', 'make test', { Makefile: 'test: missing.o\n\ttrue\n' }],
    ['a script of npm fails', 'npm test', { ...script('./fail.sh'), ...failing }],
    ['it ended itself by timeout', 'timeout 0.1 sleep 5', {}],
    ['a relative import fails in a test', 'node a.mjs', { 'a.mjs': "import '../gone.mjs';\n" }],
    ['a relative require fails in a test', 'node a.cjs', { 'a.cjs': "require('./gone');\n" }],
    ['a dependency is missing', 'node a.mjs', { 'a.mjs': "import 'left-pad';\n" }],
    ['a relative import fails below node --test', 'node --test', { 'a.test.mjs': "import '../gone.mjs';\n" }],
    ['a test of unittest fails', '/usr/bin/python3 -m unittest test_a', { 'test_a.py': python('self.fail()') }],
    [
      'a test module of unittest imports what is not there',
      '/usr/bin/python3 -m unittest test_a',
      { 'test_a.py': `from greet import hello\n${python('pass')}` },
    ],
  ])('%s', async (_, command, files) => {
    const { exit, problem } = await problemIn(command, files);
    expect({ exit: exit !== 0, problem }).toEqual({ exit: true, problem: '' });
  });

  test.each([
    ['tests pass', 'node --test', { 'a.test.mjs': "import { test } from 'node:test';\ntest('a', () => {});\n" }],
    ['nothing is printed', 'true', {}],
    ['something else is said beside it', 'node --test; echo checked by hand', {}],
  ])('%s', async (_, command, files) => {
    expect(await problemIn(command, files)).toEqual({ exit: 0, problem: '' });
  });
});

test.each(recorded)('$runner as recorded: $problem', ({ exitCode, outputTail, problem }) => {
  expect(whyCheckDidNotRun({ ...ended, exitCode, outputTail })).toBe(problem);
});

test.each(recordedFailures)('$runner as recorded has run, and failed', ({ exitCode, outputTail }) => {
  expect(whyCheckDidNotRun({ ...ended, exitCode, outputTail })).toBe('');
});

test('what was stopped or ran out of memory could not run, whatever it printed and however it ended', () => {
  const said = { exitCode: 1, outputTail: '1 failed\n' };
  expect(whyCheckDidNotRun({ ...said, timedOut: true, outOfMemory: false })).toBe('It timed out and was stopped.');
  expect(whyCheckDidNotRun({ ...said, timedOut: false, outOfMemory: true })).toBe('The sandbox ran out of memory.');
});
