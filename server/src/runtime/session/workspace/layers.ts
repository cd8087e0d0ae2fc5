import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { LayerId, SandboxLayers } from '../../../adapters/sandbox/port.ts';
import { withFileLock } from '../../../lib/file-lock.ts';

/** The base layers of an organization on this host: `<key>.json` names one that the driver keeps, with `<key>.lock` beside it. */
export interface Layers {
  /** A layer, made by `build` when there is none; who else wants it meanwhile waits. */
  obtain(
    key: string,
    build: { run(): Promise<LayerId>; commits: readonly string[] },
    signal: AbortSignal,
  ): Promise<LayerEntry>;
}

const LayerEntry = Type.Object({
  layer: Type.String(),
  /** What was checked out when it was built. */
  commits: Type.Array(Type.String()),
});
export type LayerEntry = Static<typeof LayerEntry>;

const buildTimeoutMs = 60 * 60_000;

/** The layers whose entries are in a directory; `hold` is told of each before it is looked for, so that it stays as long as it is used. */
export function openLayers(directory: string, kept: SandboxLayers, hold: (path: string) => void): Layers {
  const find = async (path: string): Promise<LayerEntry | undefined> => {
    const entry = await readLayerEntry(path);
    return entry !== undefined && (await kept.sizeOf(entry.layer)) !== undefined ? entry : undefined;
  };
  return {
    async obtain(key, build, signal) {
      await mkdir(directory, { recursive: true, mode: 0o755 });
      const path = join(directory, key);
      hold(path);
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

/** The entry at `<path>.json`; undefined when there is none, or one of an earlier version. */
export async function readLayerEntry(path: string): Promise<LayerEntry | undefined> {
  const entry: unknown = JSON.parse(await readFile(`${path}.json`, 'utf8').catch(() => 'null'));
  return Value.Check(LayerEntry, entry) ? entry : undefined;
}
