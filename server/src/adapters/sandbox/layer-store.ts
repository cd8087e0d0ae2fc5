import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { LayerId, SandboxLayers } from './port.ts';
import { bytesOnDisk, removeTree } from './system.ts';

/** Stores base layers as directories: `<root>/layers/<id>` with `workspace` and `home`. */
export interface LayerStore extends SandboxLayers {
  /** Returns a layer's directory. Throws if it does not exist. */
  pathOf(id: LayerId): string;
  /** Creates a layer from the files that `copy` writes into an empty directory. It appears only when it is complete. */
  save(copy: (directory: string) => Promise<void>): Promise<LayerId>;
  /** Removes layers that a killed worker was saving or removing. */
  sweep(): Promise<void>;
}

const idPattern = /^[0-9a-f]{32}$/;
const sizeFile = 'size-bytes';
/** Longer than any copy takes: an incomplete layer of this age is abandoned. */
const abandonedMs = 60 * 60_000;

export function createLayerStore(root: string, log: Log): LayerStore {
  const directory = join(root, 'layers');
  const names = async () => readdir(directory).catch(() => []);
  const path = (id: LayerId): string | undefined => (idPattern.test(id) ? join(directory, id) : undefined);
  return {
    pathOf(id) {
      const found = path(id);
      if (found !== undefined && existsSync(found)) return found;
      throw new ProviderError(`there is no base layer ${JSON.stringify(id)}`, { retryable: false });
    },
    list: async () => (await names()).filter((name) => idPattern.test(name)),
    async sizeOf(id) {
      const size = await readFile(join(path(id) ?? directory, sizeFile), 'utf8').catch(() => undefined);
      return size === undefined ? undefined : Number(size);
    },
    async save(copy) {
      const id = randomUUID().replaceAll('-', '');
      const fresh = join(directory, `.new-${id}`);
      try {
        await mkdir(directory, { recursive: true, mode: 0o755 });
        await mkdir(fresh, { mode: 0o700 });
        await copy(fresh);
        await writeFile(join(fresh, sizeFile), String(await bytesOnDisk(fresh)));
        await rename(fresh, join(directory, id));
        return id;
      } catch (error) {
        await removeTree(fresh).catch(() => undefined);
        const message = `failed to save the base layer: ${messageOf(error)}`;
        throw new ProviderError(message, { retryable: true, cause: error });
      }
    },
    async discard(id) {
      const gone = join(directory, `.gone-${id}`);
      try {
        await rename(path(id) ?? gone, gone);
        await removeTree(gone);
      } catch (error) {
        if (existsSync(path(id) ?? gone) || existsSync(gone))
          log.warn({ layer: id, reason: messageOf(error) }, 'failed to remove a base layer');
      }
    },
    async sweep() {
      for (const name of await names()) {
        if (!name.startsWith('.')) continue;
        const { mtimeMs } = await stat(join(directory, name)).catch(() => ({ mtimeMs: Date.now() }));
        if (name.startsWith('.gone-') || Date.now() - mtimeMs > abandonedMs) await removeTree(join(directory, name));
      }
    },
  };
}
