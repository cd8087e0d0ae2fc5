import { describe, expect, test } from 'vitest';
import { chooseCheck, isSameCheck } from './check.ts';

const files = (entries: Record<string, string>) => new Map(Object.entries(entries));
const npm = files({ 'package.json': '{"scripts": {"test": "node --test"}}' });

describe('chooseCheck', () => {
  const repositories = [
    { directory: 'one', verifyCommand: '', files: npm },
    { directory: 'two', verifyCommand: 'make check', files: files({}) },
  ];
  const agentCheck = { command: 'sh new.sh', files: [{ path: 'new.sh', content: 'exit 1' }] };

  test("takes the session's, then the agent's, then a repository's own, then a detected one", () => {
    expect(chooseCheck({ sessionCommand: 'true', agentCheck, repositories })).toEqual({
      source: 'session',
      command: 'true',
      directory: '',
      files: [],
    });
    expect(chooseCheck({ sessionCommand: '', agentCheck, repositories })).toEqual({
      source: 'agent',
      directory: '',
      ...agentCheck,
    });
    expect(chooseCheck({ sessionCommand: '', agentCheck: undefined, repositories })).toEqual({
      source: 'repository',
      command: 'make check',
      directory: 'two',
      files: [],
    });
    const [first] = repositories;
    expect(
      chooseCheck({ sessionCommand: '', agentCheck: undefined, repositories: first === undefined ? [] : [first] }),
    ).toEqual({ source: 'detected', command: 'npm test', directory: 'one', files: [] });
    expect(chooseCheck({ sessionCommand: '', agentCheck: undefined, repositories: [] })).toBeUndefined();
  });
});

describe('a check that nobody names', () => {
  test.each([
    [{ 'package.json': '{"scripts": {"test": "vitest run"}}', Makefile: 'test:\n' }, 'npm test'],
    [{ 'package.json': '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}' }, undefined],
    [{ 'package.json': '{"scripts": {"test": " "}}' }, undefined],
    [{ 'package.json': '{"scripts": ["test"]}' }, undefined],
    [{ 'package.json': 'not json', 'go.mod': 'module x' }, 'go test ./...'],
    [{ Makefile: 'all: build\n\ntest: all\n\tsh t.sh\n' }, 'make test'],
    [{ makefile: 'check:\n\tsh t.sh\n' }, 'make check'],
    [{ Makefile: 'test := 1\ntest ::= 2\n.PHONY: test\n\techo test: no\n' }, undefined],
    [{ 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'python3 -m pytest'],
    [{ 'pyproject.toml': '[project]\nname = "x"\n' }, undefined],
    [{ 'pytest.ini': '' }, 'python3 -m pytest'],
    [{ 'conftest.py': '' }, 'python3 -m pytest'],
    [{ 'Cargo.toml': '[package]' }, 'cargo test'],
    [{}, undefined],
  ])('%j is tested with %j', (entries, command) => {
    const repositories = [{ directory: '', verifyCommand: '', files: files(entries) }];
    expect(chooseCheck({ sessionCommand: '', agentCheck: undefined, repositories })?.command).toBe(command);
  });
});

test('isSameCheck compares all that decides the result, and not who asked', () => {
  const check = { source: 'agent', command: 'a', directory: '', files: [] } as const;
  expect(isSameCheck({ ...check, files: [] }, { ...check, files: [], source: 'session' })).toBe(true);
  expect(isSameCheck({ ...check, files: [] }, { ...check, files: [{ path: 'x', content: '' }] })).toBe(false);
  expect(isSameCheck(undefined, undefined)).toBe(true);
  expect(isSameCheck({ ...check, files: [] }, undefined)).toBe(false);
});
