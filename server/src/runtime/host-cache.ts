import { readdir, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LayerId, SandboxLayers } from '../adapters/sandbox/port.ts';
import { removeTree } from '../adapters/sandbox/system.ts';
import { createUses, evicted, lastUseOf, mirrorNames, removeEntry, sizeOfEntry } from '../git/mirror-entries.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { chooseEvicted, type CacheEntry } from '../lib/eviction.ts';
import { readLayerEntry } from './session/workspace/layers.ts';

/**
 * A worker's cache, of all organizations: mirrors of repositories on its disk, and base layers in its sandbox driver. No
 * other process uses the data directory, so this one knows which entries are in use.
 */
export interface HostCache {
  /** Marks an entry as used, and keeps it until the returned function is called. The entry may be yet to be made. */
  retain(path: string): () => void;
  /** Removes the entries that were not used for 30 days, and the least recently used until the cache is within its limits. Never rejects. */
  evict(): Promise<void>;
}

interface CacheDirectories {
  /** Holds `<organization>/<connection>/<repository>.git`, each with a `.lock` and its generations beside it. */
  mirrors: string;
  /** Holds `<organization>/<key>.json`, which names a layer of the driver, each with a `.lock` beside it. */
  layers: string;
  layerStore: SandboxLayers;
}

interface HostCacheOptions extends CacheDirectories {
  /** Limit for mirrors and layers together; 0 for none. */
  maxBytes: number;
  /** Entries are removed while less than twice this much disk is free, whatever the cache takes. */
  reserveBytes: number;
  log: Log;
}

/** An entry that was not used for this long is removed: its repository, or its setup command, changed or is at rest. */
const unusedMs = 30 * 24 * 60 * 60_000;

export function openHostCache(options: HostCacheOptions): HostCache {
  const { log, layerStore } = options;
  const uses = createUses();
  /** Sizes measured since the last use, by path. */
  const measured = new Map<string, { bytes: number; usedMs: number }>();
  let running: Promise<void> | undefined;

  async function describe({ orgId, path, layer }: FoundEntry): Promise<CacheEntry & FoundEntry> {
    const usedMs = await lastUseOf(path);
    const isInUse = uses.isInUse(path);
    const before = measured.get(path);
    const size =
      before?.usedMs === usedMs && !isInUse
        ? before.bytes
        : await (layer === undefined ? sizeOfEntry(path) : layerStore.sizeOf(layer));
    const bytes = size ?? 0;
    measured.set(path, { bytes, usedMs });
    return { path, orgId, layer, bytes, usedMs, isInUse };
  }

  /** Lists the entries, and removes what a crash left behind: a layer's file without the layer, or a layer without its file. */
  async function survey(): Promise<(CacheEntry & FoundEntry)[]> {
    const before = uses.paths();
    const layers = new Set(await layerStore.list());
    const copies: (CacheEntry & FoundEntry)[] = [];
    const whole = new Set<string>();
    for await (const found of listEntries(options)) {
      if (found.isRest === true) await removeTree(found.path);
      else if (found.layer === undefined || layers.delete(found.layer)) {
        whole.add(found.path);
        copies.push(await describe(found));
      } else if (!uses.isInUse(found.path)) await removeEntry(found.path);
    }
    // A path in use without an entry may belong to a layer that is being saved.
    const isBuilding = [...before, ...uses.paths()].some((path) => path.startsWith(options.layers) && !whole.has(path));
    if (!isBuilding) for (const layer of layers) await layerStore.discard(layer);
    return copies;
  }

  async function evictExcess(): Promise<void> {
    const copies = await survey();
    const there = new Set(copies.map(({ path }) => path));
    for (const path of measured.keys()) if (!there.has(path)) measured.delete(path);
    const { bavail, bsize } = await statfs(options.mirrors);
    const missingBytes = Math.max(0, 2 * options.reserveBytes - bavail * bsize);
    const maxBytes = options.maxBytes === 0 ? Infinity : options.maxBytes;
    const unusedBeforeMs = Date.now() - unusedMs;
    for (const { path, orgId, layer, bytes } of chooseEvicted(copies, { maxBytes, missingBytes, unusedBeforeMs })) {
      // It may have come into use during the survey.
      if (uses.isInUse(path)) continue;
      await removeEntry(path);
      if (layer !== undefined) await layerStore.discard(layer);
      log.info({ organization: orgId, path, bytes }, 'evicted a cache entry');
    }
  }

  return {
    retain: uses.hold,
    evict() {
      running ??= evictExcess()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'failed to evict cache entries'))
        .finally(() => (running = undefined));
      return running;
    },
  };
}

/** An entry that its worker would remove. */
interface RemovableEntry {
  readonly orgId: string;
  readonly bytes: number;
  remove(): Promise<void>;
}

/**
 * Lists the entries that were not used for 30 days, and those for which `isGone` is true. No worker may use the
 * directories.
 */
export async function* listRemovable(
  directories: CacheDirectories,
  isGone: (path: string) => boolean,
): AsyncGenerator<RemovableEntry> {
  const { layerStore } = directories;
  for await (const { path, orgId, layer, isRest } of listEntries(directories)) {
    if (isRest === true || (!isGone(path) && (await lastUseOf(path)) >= Date.now() - unusedMs)) continue;
    const bytes = (layer === undefined ? await sizeOfEntry(path) : await layerStore.sizeOf(layer)) ?? 0;
    const remove = async (): Promise<void> => {
      await removeEntry(path);
      if (layer !== undefined) await layerStore.discard(layer);
    };
    yield { orgId, bytes, remove };
  }
}

interface FoundEntry {
  readonly orgId: string;
  /** For a layer, the path of its file without `.json`. */
  readonly path: string;
  readonly layer: LayerId | undefined;
  /** True for what an ended process had begun to remove, and for a layer that an earlier version kept here. */
  readonly isRest?: true;
}

const keyPattern = /^[0-9a-f]{32}$/;

async function* listEntries(options: CacheDirectories): AsyncGenerator<FoundEntry> {
  for await (const { orgId, directory } of listDirectories(options)) {
    const names = await listNames(directory);
    for (const name of mirrorNames(names)) yield { orgId, path: join(directory, name), layer: undefined };
    for (const name of names) {
      const path = join(directory, name);
      const entry = name.endsWith('.json') ? join(directory, basename(name, '.json')) : '';
      if (name.includes(evicted) || keyPattern.test(name)) yield { orgId, path, layer: undefined, isRest: true };
      else if (keyPattern.test(basename(entry)))
        yield { orgId, path: entry, layer: (await readLayerEntry(entry))?.layer ?? '' };
    }
  }
}

/** Directories that hold entries. */
async function* listDirectories({
  mirrors,
  layers,
}: CacheDirectories): AsyncGenerator<{ orgId: string; directory: string }> {
  for (const orgId of await listNames(layers)) yield { orgId, directory: join(layers, orgId) };
  for (const orgId of await listNames(mirrors))
    for (const connection of await listNames(join(mirrors, orgId)))
      yield { orgId, directory: join(mirrors, orgId, connection) };
}

async function listNames(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
