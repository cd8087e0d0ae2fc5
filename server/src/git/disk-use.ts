import { existsSync } from 'node:fs';
import { ProgramFailed, runProgram } from '../lib/program.ts';
import { searchPath } from './native.ts';

/**
 * Returns the size of a directory on disk in bytes; 0 if it does not exist. Measures with du in a process of its own, because a
 * push may leave as many files as it has objects.
 */
export async function sizeOnDisk(path: string): Promise<number> {
  if (!existsSync(path)) return 0;
  const options = { env: { PATH: searchPath }, timeoutMs: 120_000 };
  const { stdout } = await runProgram(['du', '-sk', path], options).catch((error: unknown) => {
    // du fails if git removes files during the count, but prints its result anyway.
    if (error instanceof ProgramFailed && error.reason === 'failed' && /^\d+\t/.test(error.stdout)) return error;
    throw error;
  });
  return 1024 * Number.parseInt(stdout, 10);
}
