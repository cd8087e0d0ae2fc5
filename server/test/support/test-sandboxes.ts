import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBubblewrapDriver, type BubblewrapOptions } from '../../src/adapters/sandbox/bubblewrap/driver.ts';
import { inspectHost, type Host } from '../../src/adapters/sandbox/bubblewrap/host.ts';
import type { SandboxDriver } from '../../src/adapters/sandbox/port.ts';

/** The files that all sandboxes share, 126 MB: immutable, and named by their content. */
const runtime = fileURLToPath(new URL('../../../node_modules/.cache/sandbox-runtime', import.meta.url));

let inspected: Promise<Host> | undefined;

/**
 * Creates the real driver, which uses what the first one of this process found out about the machine. The roots of all
 * are in the same file system.
 */
export function createTestSandboxes(options: BubblewrapOptions): SandboxDriver {
  return createBubblewrapDriver({ ...options, inspect: (root) => (inspected ??= inspectHost(root)) });
}

/** Lets a driver use the shared runtime of all test workers instead of copying one for its root. */
export async function shareRuntime(root: string): Promise<void> {
  await mkdir(runtime, { recursive: true });
  const place = join(root, 'runtime');
  if (!existsSync(place)) await symlink(runtime, place);
}
