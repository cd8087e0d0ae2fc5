import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files in one directory. */
const filesPerDirectory = 100;
const author = 'bench <b@localhost>';

/**
 * Makes a bare repository of `files` files of random bytes, which no compression makes smaller, of `bytes` together, with ten
 * commits that each change a few of them.
 */
export async function makeRepository(path: string, { files, bytes }: { files: number; bytes: number }): Promise<void> {
  mkdirSync(path, { recursive: true });
  const size = Math.floor(bytes / files);
  const git = gitIn(path);
  await git(['init', '-q', '--bare', '-b', 'main']);
  const child = spawn('git', ['-c', 'core.compression=0', 'fast-import', '--quiet'], {
    cwd: path,
    env: gitEnvironment,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(child, 'close');
  const write = async (piece: string | Buffer): Promise<void> => {
    if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  };
  for (let commit = 0; commit < 10; commit += 1) {
    await write(`commit refs/heads/main\ncommitter ${author} ${1_700_000_000 + commit} +0000\ndata 2\nc\n`);
    const changed = commit === 0 ? files : 20;
    for (let number = 0; number < changed; number += 1) {
      await write(`M 100644 inline ${nameOf(number)}\ndata ${size}\n`);
      await write(randomBytes(size));
      await write('\n');
    }
  }
  child.stdin.end('done\n');
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}.`);
}

/** The path of a file: directories of a hundred files, a hundred of them in each directory above. */
export function nameOf(number: number): string {
  const directory = Math.floor(number / filesPerDirectory);
  return join(`part-${Math.floor(directory / filesPerDirectory)}`, `group-${directory}`, `file-${number}.bin`);
}

const gitEnvironment = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

export function gitIn(cwd: string): (args: string[]) => Promise<void> {
  return async (args) => {
    const child = spawn('git', args, { cwd, env: gitEnvironment, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${String(code)}.`);
  };
}
