import { describe, expect, test } from 'vitest';
import { problemsOfCheck } from './agent-config.ts';

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
