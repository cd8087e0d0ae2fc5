import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spreadOf, type Spread } from './agents-figures.ts';
import { cpuOf } from './agents-processes.ts';

/** The lower bound of what the platform starts programs for. */
export interface Bare {
  ms: Spread;
  cpuMs: number;
}

const sandbox = [
  '--unshare-all',
  '--as-pid-1',
  '--die-with-parent',
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
];

/** Starts Node in a bare bubblewrap sandbox. */
export async function bareStart(count: number): Promise<Bare> {
  return repeat(count, () => run('bwrap', [...sandbox, process.execPath, '-e', '0'], '/'));
}

/** Clones a repository that borrows objects, commits a file, and pushes its branch: what git needs without a platform. */
export async function bareEdit(directory: string, count: number): Promise<Bare> {
  const root = mkdtempSync(join(directory, 'bare-edit-'));
  const git = (cwd: string, ...args: string[]): Promise<void> =>
    run('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', ...args], cwd);
  const upstream = join(root, 'upstream.git');
  await git(root, 'init', '-q', '--bare', '-b', 'main', upstream);
  const first = join(root, 'first');
  await git(root, 'clone', '-q', upstream, first);
  await git(first, 'commit', '-q', '--allow-empty', '-m', 'first');
  await git(first, 'push', '-q', 'origin', 'HEAD:main');
  let number = 0;
  return repeat(count, async () => {
    number += 1;
    const work = join(root, `work-${number}`);
    await git(root, 'clone', '-q', '--shared', upstream, work);
    writeFileSync(join(work, 'found.md'), `What was found, number ${number}.\n`);
    await git(work, 'add', '--all');
    await git(work, 'commit', '-q', '-m', 'found');
    await git(work, 'push', '-q', 'origin', `HEAD:found-${number}`);
  });
}

async function repeat(count: number, act: () => Promise<void>): Promise<Bare> {
  await act();
  const before = cpuOf(process.pid).programs;
  const took: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const begun = performance.now();
    await act();
    took.push(performance.now() - begun);
  }
  return { ms: spreadOf(took), cpuMs: (cpuOf(process.pid).programs - before) / count };
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const child = spawn(program, args, { cwd, env, stdio: 'ignore' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${String(code)}.`);
}
