import type { AgentCheck } from '../../../lib/agent-config.ts';
import { excessOf, maxJsonDepth, maxJsonValues } from '../../../lib/json-limits.ts';

/** The command that decides whether the task is done: run on the base commit and on the commit to be delivered. */
export interface Check {
  source: 'session' | 'agent' | 'repository' | 'detected';
  command: string;
  /** Working directory relative to the workspace; `''` for the workspace itself. */
  directory: string;
  /** New files of the check, relative to `directory`. */
  files: { path: string; content: string }[];
}

export interface CheckedRepository {
  /** Relative to the workspace; `''` for the workspace itself. */
  directory: string;
  verifyCommand: string;
  /** Contents of those {@link projectFiles} that exist at the base commit's root. */
  files: ReadonlyMap<string, string>;
}

export interface CheckSources {
  /** `''` if the session has none. */
  sessionCommand: string;
  agentCheck: AgentCheck | undefined;
  repositories: readonly CheckedRepository[];
}

/** Chooses the check: the session's, the agent's, a repository's or a detected one, in this order. */
export function chooseCheck({ sessionCommand, agentCheck, repositories }: CheckSources): Check | undefined {
  if (sessionCommand !== '') return { source: 'session', command: sessionCommand, directory: '', files: [] };
  if (agentCheck !== undefined) {
    return { source: 'agent', command: agentCheck.command, directory: '', files: agentCheck.files ?? [] };
  }
  const declared = repositories.find(({ verifyCommand }) => verifyCommand !== '');
  if (declared !== undefined) {
    const { verifyCommand: command, directory } = declared;
    return { source: 'repository', command, directory, files: [] };
  }
  for (const { directory, files } of repositories) {
    const command = detectCommand(files);
    if (command !== undefined) return { source: 'detected', command, directory, files: [] };
  }
  return undefined;
}

/** Files from which a project's test command is detected. */
export const projectFiles = [
  'package.json',
  'GNUmakefile',
  'makefile',
  'Makefile',
  'pyproject.toml',
  'pytest.ini',
  'conftest.py',
  'setup.cfg',
  'tox.ini',
  'go.mod',
  'Cargo.toml',
] as const;

/** Detects a project's test command from the files at its root; undefined if there is none. */
function detectCommand(files: ReadonlyMap<string, string>): string | undefined {
  if (hasTestScript(files.get('package.json'))) return 'npm test';
  const makefile = files.get('GNUmakefile') ?? files.get('makefile') ?? files.get('Makefile');
  const target = /^(test|check)[ \t]*:(?![:=])/m.exec(makefile ?? '')?.[1];
  if (target !== undefined) return `make ${target}`;
  const python = ['pyproject.toml', 'setup.cfg', 'tox.ini'].some((name) => /\bpytest\b/.test(files.get(name) ?? ''));
  if (python || files.has('pytest.ini') || files.has('conftest.py')) return 'python3 -m pytest';
  if (files.has('go.mod')) return 'go test ./...';
  if (files.has('Cargo.toml')) return 'cargo test';
  return undefined;
}

/** True if there is a real test script. `npm init` writes a placeholder that fails. */
function hasTestScript(packageJson: string | undefined): boolean {
  const script = readTestScript(packageJson);
  return script !== undefined && script.trim() !== '' && !/no test specified/i.test(script);
}

const packageLimits = { values: maxJsonValues, depth: maxJsonDepth };

function readTestScript(packageJson: string | undefined): string | undefined {
  // A file that would take long to parse is hostile, and counts as one without a script.
  if (packageJson === undefined || excessOf(Buffer.from(packageJson), packageLimits) !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(packageJson);
    if (typeof value !== 'object' || value === null || !('scripts' in value)) return undefined;
    const { scripts } = value;
    if (typeof scripts !== 'object' || scripts === null || !('test' in scripts)) return undefined;
    return typeof scripts.test === 'string' ? scripts.test : undefined;
  } catch {
    return undefined;
  }
}

/** True if two checks have the same command, directory and files. */
export function isSameCheck(one: Check | undefined, other: Check | undefined): boolean {
  const parts = (check: Check | undefined) =>
    check === undefined ? '' : JSON.stringify([check.command, check.directory, check.files]);
  return parts(one) === parts(other);
}
