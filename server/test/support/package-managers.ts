import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const packageManagers = ['npm', 'pip', 'pip3', 'python3'];

/** A PATH like that of this process, but for package managers that know nothing: a worker asks the host's for seconds. */
export async function mutePackageManagers(directory: string): Promise<string> {
  await mkdir(directory);
  await Promise.all(
    packageManagers.map((name) => writeFile(join(directory, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 })),
  );
  return `${directory}:${process.env['PATH'] ?? ''}`;
}
