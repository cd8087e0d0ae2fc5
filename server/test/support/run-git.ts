import { runProgram } from '../../src/lib/program.ts';

/** Runs git as a client, and returns its output without the last newline. Throws an error with what git printed. */
export async function runGit(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { stdout } = await runProgram(['git', ...args], { cwd, env, timeoutMs: 180_000 });
  return stdout.replace(/\n$/, '');
}
