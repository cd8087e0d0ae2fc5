import { expect, test } from 'vitest';
import { projectOf, repoOf, requireProject } from './project.ts';

test.each([
  ['_/web', 'web', 'web'],
  ['tools/web', 'tools/web', 'tools/web'],
  ['fork/ada/web', 'fork/ada/web', 'forks/ada/web'],
  ['fork/ada/tools/web', 'fork/ada/tools/web', 'forks/ada/tools/web'],
])('%s is a project, and back', (repo, path, fullName) => {
  expect(projectOf(repo)).toEqual({ path, fullName });
  expect(repoOf(fullName)).toBe(repo);
});

test.each(['', 'web', 'a/b/c', 'fork/web', 'fork/a/b/c/d', 'forks/a', '../a', 'a/..', '-/whoami', 'a/b?c', 'a//b'])(
  '%j is no project',
  (repo) => {
    expect(projectOf(repo)).toBeUndefined();
    expect(() => requireProject(repo)).toThrow(/^Pagure has no project/);
  },
);

test.each(['gtk+', '_/web', 'a/b/c', 'fork/ada/web', '', '/'])('a project %j cannot be connected', (fullName) => {
  expect(repoOf(fullName)).toBeUndefined();
});
