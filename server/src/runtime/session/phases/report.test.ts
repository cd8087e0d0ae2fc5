import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../../features/repositories/change-request-schemas.ts';
import { branchName, repositoryDirectories } from '../workspace/branch.ts';
import { commitMessage, titleOf } from '../checkpoints/commit-message.ts';
import { changeRequestBody, feedbackText, type Report } from './report.ts';
import { sensitiveFiles } from '../../../git/sensitive-files.ts';

const before: Evidence = {
  kind: 'command',
  command: 'npm test',
  exit_code: 1,
  duration_ms: 1_234,
  output_tail: 'not ok\n',
  artifact_id: 'art_1',
};
const after: Evidence = { ...before, exit_code: 0, duration_ms: 987, output_tail: 'ok ```\n' };
const report: Report = {
  sessionId: 'ses_1',
  sessionUrl: 'https://guildhall.example/sessions/ses_1',
  prompt: 'Fix it\nplease',
  summary: 'I fixed it.',
  outcome: 'fixed',
  check: { source: 'session', command: 'npm test', directory: '', files: [] },
  addedFiles: [],
  before,
  after,
  baseCommit: 'a'.repeat(40),
  headCommit: 'b'.repeat(40),
  sensitive: [{ path: 'test/a.js', kind: 'test', change: 'deleted' }],
  leftOut: [],
  labels: [],
  reviewers: [],
};

describe('the body of a change request', () => {
  test('says what was asked, how it was checked and what to look at', () => {
    expect(changeRequestBody(report)).toBe(`I fixed it.

## Task

> Fix it
> please

## Verification

**Verified: fixed.** The check \`npm test\` (set in the session) fails on the base commit \`aaaaaaaaaaaa\` and passes on \`bbbbbbbbbbbb\`, each in a clean sandbox.

\`\`\`sh
npm test
\`\`\`

| | result | exit code | duration |
|---|---|---|---|
| Before | failed | 1 | 1.2 s |
| After | passed | 0 | 987 ms |

<details><summary>Before: end of the output</summary>

\`\`\`
not ok
\`\`\`

</details>

<details><summary>After: end of the output</summary>

\`\`\`\`
ok \`\`\`
\`\`\`\`

</details>

## Test and build files that were deleted or altered

Review these files first: a change of them can make the check pass without solving the task.

- deleted: \`test/a.js\` (test)

---
Created by the Guildhall session [ses_1](https://guildhall.example/sessions/ses_1).
`);
  });

  test.each([
    ['not_reproduced', 'Not verified: the problem was not reproduced'],
    ['no_check', 'Not verified: there was no check'],
    ['could_not_run', 'Not verified: the check could not run'],
  ] as const)('never calls %s verified', (outcome, words) => {
    const body = changeRequestBody({ ...report, outcome });
    expect(body).toContain(words);
    expect(body).not.toContain('**Verified');
  });

  test('says that the check could not run, and why', () => {
    const problem = 'Python has no module `pytest`.';
    const stuck = { ...before, problem };
    const body = changeRequestBody({ ...report, outcome: 'could_not_run', before: stuck, after: stuck });
    expect(body).toContain(problem);
    expect(body).toContain('| Before | could not run | 1 | 1.2 s |\n| After | could not run | 1 | 1.2 s |');
    const half = changeRequestBody({ ...report, outcome: 'not_reproduced', before: stuck });
    expect(half).toContain('**Not verified: the check could not run on the base commit.**');
    expect(half).toContain(problem);
  });

  test('names the labels and reviewers of the organization, which cannot write Markdown', () => {
    const body = changeRequestBody({ ...report, labels: ['agent', '`x`\n# y'], reviewers: ['ada'] });
    expect(body).toContain('\n\nLabels: `agent`, `` `x` # y ``\n\nReviewers: `ada`\n\n---\n');
    expect(changeRequestBody(report)).not.toMatch(/Labels|Reviewers/);
  });

  test('needs no evidence, no summary and no altered tests', () => {
    const body = changeRequestBody({
      ...report,
      outcome: 'no_check',
      check: undefined,
      before: undefined,
      after: undefined,
      summary: '',
      sensitive: [],
    });
    expect(body.startsWith('## Task')).toBe(true);
    expect(body).not.toContain('exit code');
    expect(body).not.toContain('Test and build files');
  });

  test('cuts long parts, and stays below the limit of a change request', () => {
    const long = 'x'.repeat(100_000);
    const sensitive = Array.from(
      { length: 1_000 },
      (_, index) => ({ path: `test/${'d'.repeat(30)}${index}.js`, kind: 'test', change: 'altered' }) as const,
    );
    const body = changeRequestBody({ ...report, prompt: long, summary: long, sensitive });
    expect(body.length).toBeLessThan(65_536);
    expect(body).toContain('- and 800 more');
  });
});

test('the message of a commit names the session', () => {
  expect(commitMessage({ id: 'ses_1', title: '', prompt: '\n  Do it\n\nnow' })).toBe(
    'Do it\n\nGuildhall-Session: ses_1\n',
  );
  expect(titleOf({ title: 'a\nb', prompt: '' })).toBe('a b');
});

test('feedback holds the command and the end of its output', () => {
  const text = feedbackText(before);
  expect(text).toContain('Command:\n```sh\nnpm test\n```');
  expect(text).toContain('Exit code: 1\n\nEnd of the output:\n```\nnot ok\n```');
});

describe('sensitiveFiles', () => {
  const file = (path: string, status: 'added' | 'modified' | 'deleted' | 'renamed' = 'modified', old_path = '') => ({
    path,
    old_path,
    status,
    binary: false,
    additions: 0,
    deletions: 0,
    patch: '',
  });

  test('names every test and build file that was deleted or altered, tests first', async () => {
    const files = [
      file('src/index.ts'),
      file('package.json'),
      file('tests/unit/a.py', 'deleted'),
      file('src/a.test.ts'),
      file('.github/workflows/ci.yml'),
      file('tests/new.py', 'added'),
      file('docs/old.md', 'renamed', 'spec/old_spec.rb'),
      file('package-lock.json'),
      file('Makefile', 'deleted'),
    ];
    expect((await sensitiveFiles({ files })).map(({ change, kind, path }) => `${change} ${kind} ${path}`)).toEqual([
      'deleted test tests/unit/a.py',
      'altered test src/a.test.ts',
      'altered test spec/old_spec.rb',
      'altered build package.json',
      'altered build .github/workflows/ci.yml',
      'altered build package-lock.json',
      'deleted build Makefile',
    ]);
  });

  test.each([
    'test_parser.py',
    'pkg/parser_test.go',
    'src/test/java/ParserTest.java',
    '__tests__/a.js',
    'conftest.py',
    'a.spec.tsx',
    'src/__snapshots__/a.snap',
    'cypress/e2e/a.cy.ts',
    'test.js',
    'spec/models/user_spec.rb',
    'tests/fixtures/a.json',
  ])('%s is a test', async (path) => {
    expect(await sensitiveFiles({ files: [file(path)] })).toMatchObject([{ kind: 'test' }]);
  });

  test.each([
    'yarn.lock',
    'sub/pnpm-lock.yaml',
    'tsconfig.build.json',
    'jest.config.mjs',
    '.eslintrc.cjs',
    'vitest.config.ts',
    'pyproject.toml',
    'requirements-dev.txt',
    'go.sum',
    'Cargo.lock',
    'build.gradle.kts',
    'Dockerfile',
    'docker-compose.yml',
    '.gitlab-ci.yml',
    'Jenkinsfile',
    'scripts/build.sh',
    'CMakeLists.txt',
    '.npmrc',
    'babel.config.js',
    'pom.xml',
  ])('%s is a build file', async (path) => {
    expect(await sensitiveFiles({ files: [file(path)] })).toMatchObject([{ kind: 'build' }]);
  });

  test.each([
    'src/contest.ts',
    'lib/latest.js',
    'README.md',
    'src/testimonials/page.ts',
    'src/build/output.ts',
    'inspector.go',
  ])('%s is neither', async (path) => {
    expect(await sensitiveFiles({ files: [file(path)] })).toEqual([]);
  });
});

describe('the branch of a session', () => {
  test('is readable, short and its own', () => {
    expect(branchName('guildhall/', 'Fix: die Übersetzung, bitte!', 'ses_06gzwv0k8drv56awh4s9zr86s4')).toBe(
      'guildhall/fix-die-ubersetzung-bitte-zr86s4',
    );
    expect(branchName('team/', '', 'ses_123456')).toBe('team/session-123456');
    expect(branchName('', 'x'.repeat(300), 'ses_123456')).toBe(`${'x'.repeat(40)}-123456`);
  });
});

test('repositories lie side by side by their names, one alone is the workspace', () => {
  expect(repositoryDirectories(['a/x'])).toEqual(['']);
  expect(repositoryDirectories(['a/x', 'b/X', 'b/y', 'c/x'])).toEqual(['x', 'X-2', 'y', 'x-3']);
  expect(repositoryDirectories([])).toEqual([]);
});
