import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { LayerId, SandboxLayers } from '../../../adapters/sandbox/port.ts';
import { withFileLock } from '../../../lib/file-lock.ts';

/** Base layers of an organization on this host: `<key>.json` names a layer of the driver, with `<key>.lock` beside it. */
export interface Layers {
  /** Returns a layer; calls `build` if there is none. Concurrent callers wait for one build. */
  obtain(
    key: string,
    build: { run(): Promise<LayerId>; commits: readonly string[] },
    signal: AbortSignal,
  ): Promise<LayerEntry>;
}

const LayerEntry = Type.Object({
  layer: Type.String(),
  /** Commits that were checked out for the build. */
  commits: Type.Array(Type.String()),
});
export type LayerEntry = Static<typeof LayerEntry>;

const buildTimeoutMs = 60 * 60_000;

/** Opens the layers of a directory. `hold` is called before each lookup, and protects the entry from eviction. */
export function openLayers(directory: string, store: SandboxLayers, retain: (path: string) => void): Layers {
  const find = async (path: string): Promise<LayerEntry | undefined> => {
    const entry = await readLayerEntry(path);
    return entry !== undefined && (await store.sizeOf(entry.layer)) !== undefined ? entry : undefined;
  };
  return {
    async obtain(key, build, signal) {
      await mkdir(directory, { recursive: true, mode: 0o755 });
      const path = join(directory, key);
      retain(path);
      const there = await find(path);
      if (there !== undefined) return there;
      return withFileLock(`${path}.lock`, { timeoutMs: buildTimeoutMs, signal }, async () => {
        const made = await find(path);
        if (made !== undefined) return made;
        const entry = { layer: await build.run(), commits: [...build.commits] };
        await writeFile(`${path}.new`, JSON.stringify(entry));
        await rename(`${path}.new`, `${path}.json`);
        return entry;
      });
    },
  };
}

/** Reads the entry at `<path>.json`; undefined if it is missing or of an earlier version. */
export async function readLayerEntry(path: string): Promise<LayerEntry | undefined> {
  const entry: unknown = JSON.parse(await readFile(`${path}.json`, 'utf8').catch(() => 'null'));
  return Value.Check(LayerEntry, entry) ? entry : undefined;
}
