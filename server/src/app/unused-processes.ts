import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSandboxDriver } from '../adapters/sandbox/drivers.ts';
import { removeTree } from '../adapters/sandbox/system.ts';
import type { Config } from '../config/config.ts';
import { directoryOfProcesses } from './share.ts';
import { messageOf } from '../lib/errors.ts';
import { lockDataDirectory } from '../lib/file-lock.ts';
import type { Log } from '../lib/log.ts';

/** Removes the caches and sandboxes of processes that an earlier start had, and this one does not. Never rejects. */
export async function removeUnusedProcesses(config: Config, log: Log): Promise<void> {
  const all = directoryOfProcesses(config);
  for (const name of await readdir(all).catch(() => [])) {
    // The first process has only a lock there.
    if (!/^\d+$/.test(name) || Number(name) <= Math.max(1, config.processes)) continue;
    const data = join(all, name);
    try {
      const lock = await lockDataDirectory(data);
      const root = join(data, 'sandboxes');
      const driver = await createSandboxDriver(config.sandbox, { root, log, environment: config.environment });
      await driver.sweep();
      await removeTree(data);
      await lock.release();
    } catch (error) {
      log.warn({ directory: data, reason: messageOf(error) }, 'failed to remove the files of an earlier process');
    }
  }
}
