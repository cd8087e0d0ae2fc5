import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HangingPrograms {
  /** A search path that finds them first. */
  readonly path: string;
  /** How often one of them was started. */
  starts(): number;
  /** What they started that still runs. */
  running(): number[];
}

/**
 * Programs that never end, as wrappers do which wait for a lock: each starts a child that holds its output, and waits for
 * it. `only` is a pattern of the shell for the arguments at which they do; with others the real program runs.
 */
export async function hangingPrograms(
  directory: string,
  names: readonly string[],
  only = '*',
): Promise<HangingPrograms> {
  const path = process.env['PATH'] ?? '';
  const record = join(directory, 'children');
  await mkdir(directory, { recursive: true });
  for (const name of names) {
    const file = join(directory, name);
    const script = `#!/bin/sh
case " $* " in
${only}) sleep 600 & echo $! >>'${record}'; wait ;;
*) PATH='${path}'; exec ${name} "$@" ;;
esac
`;
    await writeFile(file, script);
    await chmod(file, 0o755);
  }
  const children = (): number[] =>
    existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n').map(Number) : [];
  return {
    path: `${directory}:${path}`,
    starts: () => children().length,
    running: () => children().filter(isRunning),
  };
}

/** A process that ended and was not collected by its parent does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
