import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HangingPrograms {
  /** A PATH in which they are found first. */
  readonly path: string;
  /** Sets if they hang, as they do at first; otherwise the real programs run. */
  hang(on: boolean): void;
  /** Returns how often one of them was started. */
  starts(): number;
  /** Returns their running children. */
  running(): number[];
}

/**
 * Creates programs that never end, like wrappers that wait for a lock: each starts a child that holds its output, and
 * waits for it. `only` is a shell pattern for the arguments at which they hang; with others the real program runs.
 */
export async function hangingPrograms(
  directory: string,
  names: readonly string[],
  only = '*',
): Promise<HangingPrograms> {
  const found = (process.env['PATH'] ?? '').split(':');
  const path = found.filter((place) => place !== directory).join(':');
  const record = join(directory, 'children');
  const switchedOn = join(directory, 'on');
  await mkdir(directory, { recursive: true });
  writeFileSync(switchedOn, '');
  for (const name of names) {
    const file = join(directory, name);
    const script = `#!/bin/sh
[ -e '${switchedOn}' ] && case " $* " in
${only}) sleep 600 & echo $! >>'${record}'; wait ;;
esac
PATH='${path}'; exec ${name} "$@"
`;
    await writeFile(file, script);
    await chmod(file, 0o755);
  }
  const children = (): number[] =>
    existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n').map(Number) : [];
  return {
    path: `${directory}:${path}`,
    hang: (on) => (on ? writeFileSync(switchedOn, '') : rmSync(switchedOn, { force: true })),
    starts: () => children().length,
    running: () => children().filter(isRunning),
  };
}

/** Returns false for a zombie, too. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
