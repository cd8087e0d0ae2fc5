import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLayerStore } from '../adapters/sandbox/layer-store.ts';
import { removeTree } from '../adapters/sandbox/system.ts';
import type { Config } from '../config/config.ts';
import { directoryOfProcesses } from './share.ts';
import type { RetentionContext } from '../features/define.ts';
import type { RetentionKind, RetentionRun } from '../jobs/retention.ts';
import { lockDataDirectory } from '../lib/file-lock.ts';
import { listRemovable } from '../runtime/host-cache.ts';
import { listLeftovers } from '../runtime/sweep.ts';

/**
 * The mirrors and layers on this machine that its worker would remove: those of deleted organizations and repositories,
 * and those that were not used for 30 days. None while a process uses the data directory, because it removes them
 * itself.
 */
export function cacheRetention({ data }: Pick<Config, 'data'>): RetentionKind<RetentionContext> {
  return {
    kind: 'cache',
    async remove(ctx, run) {
      const lock = await lockDataDirectory(data).catch(() => undefined);
      if (lock === undefined) return;
      const processes = directoryOfProcesses({ data });
      const others = (await readdir(processes).catch(() => [])).map((name) => join(processes, name));
      try {
        for (const directory of [data, ...others]) await removeFrom(directory, ctx, run);
      } finally {
        await lock.release();
      }
    },
  };
}

async function removeFrom(
  data: string,
  { db, log }: RetentionContext,
  { orgId: only, isDryRun, signal, report }: RetentionRun,
): Promise<void> {
  const [mirrorsDirectory, workDirectory] = [join(data, 'mirrors'), join(data, 'work')];
  const gone: string[] = [];
  for await (const path of listLeftovers({ db, mirrorsDirectory, workDirectory })) gone.push(path);
  const isGone = (path: string): boolean => gone.some((one) => path === one || path.startsWith(`${one}/`));
  const layerStore = createLayerStore(join(data, 'sandboxes'), log);
  const directories = { mirrors: mirrorsDirectory, layers: join(workDirectory, 'layers'), layerStore };
  for await (const { orgId, bytes, remove } of listRemovable(directories, isGone)) {
    signal.throwIfAborted();
    if (only !== '' && orgId !== only) continue;
    if (!isDryRun) await remove();
    report({ orgId, count: 1, bytes });
  }
  if (!isDryRun && only === '') for (const path of gone) await removeTree(path);
}
