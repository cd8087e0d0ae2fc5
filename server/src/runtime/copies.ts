import { readdirSync, renameSync } from 'node:fs';
import { readdir, stat, statfs, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { LayerId, SandboxLayers } from '../adapters/sandbox/port.ts';
import { bytesOnDisk, removeTree } from '../adapters/sandbox/system.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { chooseEvicted, type Copy } from './eviction.ts';
import { readLayerEntry } from './session/workspace/layers.ts';

/**
 * What a worker keeps to be quicker, and can make again: mirrors of repositories on its disk and base layers that its driver
 * has, of all organizations. The data directory is this process's alone, and so is knowing what is in use.
 */
export interface Copies {
  /** Notes the use of a copy that is there or about to be, and keeps it until the answered function is called. */
  hold(path: string): () => void;
  /** Removes what is in nobody's use and was not used for longest, as far as there is too much. Never rejects. */
  makeRoom(): Promise<void>;
}

interface CopiesOptions {
  /** `<organization>/<connection>/<repository>.git`, each with a `.lock` and its generations beside it. */
  mirrors: string;
  /** `<organization>/<key>.json`, which names a layer of the driver's, each with a `.lock` beside it. */
  layers: string;
  kept: SandboxLayers;
  /** What all of them may take together; 0 for any number. */
  maxBytes: number;
  /** Below twice that much free disk, copies go whatever they take. */
  reserveBytes: number;
  log: Log;
}

const evicted = '.evicted-';

export function openCopies(options: CopiesOptions): Copies {
  const { log, kept } = options;
  const uses = createUses();
  /** What was measured since it was used last. */
  const measured = new Map<string, { bytes: number; usedMs: number }>();
  let running: Promise<void> | undefined;

  async function describe({ orgId, path, layer }: Found): Promise<Copy & Found> {
    const usedMs = await stat(`${path}.lock`).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const isHeld = uses.isHeld(path);
    const before = measured.get(path);
    const size =
      before?.usedMs === usedMs && !isHeld
        ? before.bytes
        : await (layer === undefined ? sizeOf(path) : kept.sizeOf(layer));
    const bytes = size ?? 0;
    measured.set(path, { bytes, usedMs });
    return { path, orgId, layer, bytes, usedMs, isHeld };
  }

  /** Describes all copies, and removes what a crash left of one side: an entry without its layer, and a layer without an entry. */
  async function survey(): Promise<(Copy & Found)[]> {
    const before = uses.held();
    const layers = new Set(await kept.list());
    const copies: (Copy & Found)[] = [];
    const whole = new Set<string>();
    for await (const found of listCopies(options)) {
      if (found.layer === undefined || layers.delete(found.layer)) {
        whole.add(found.path);
        copies.push(await describe(found));
      } else if (!uses.isHeld(found.path)) await evict(found.path);
    }
    // What is in use and has no entry yet may be the one that is being saved.
    const isBuilding = [...before, ...uses.held()].some((path) => path.startsWith(options.layers) && !whole.has(path));
    if (!isBuilding) for (const layer of layers) await kept.discard(layer);
    return copies;
  }

  async function look(): Promise<void> {
    const copies = await survey();
    const there = new Set(copies.map(({ path }) => path));
    for (const path of measured.keys()) if (!there.has(path)) measured.delete(path);
    const { bavail, bsize } = await statfs(options.mirrors);
    const missingBytes = Math.max(0, 2 * options.reserveBytes - bavail * bsize);
    const maxBytes = options.maxBytes === 0 ? Infinity : options.maxBytes;
    for (const { path, orgId, layer, bytes } of chooseEvicted(copies, { maxBytes, missingBytes })) {
      // It may have come into use meanwhile.
      if (uses.isHeld(path)) continue;
      await evict(path);
      if (layer !== undefined) await kept.discard(layer);
      log.info({ organization: orgId, path, bytes }, 'removed a copy that was not used for long, to make room');
    }
  }

  return {
    hold: uses.hold,
    makeRoom() {
      running ??= look()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'copies could not be removed'))
        .finally(() => (running = undefined));
      return running;
    },
  };
}

/** Counts who uses what; the time of the last use is that of the lock file beside a copy. */
function createUses() {
  const counts = new Map<string, number>();
  const count = (path: string, change: number): void => {
    const now = new Date();
    void utimes(`${path}.lock`, now, now).catch(() => undefined);
    const uses = (counts.get(path) ?? 0) + change;
    if (uses > 0) counts.set(path, uses);
    else counts.delete(path);
  };
  return {
    isHeld: (path: string): boolean => counts.has(path),
    held: (): string[] => [...counts.keys()],
    hold(path: string): () => void {
      count(path, 1);
      let isOver = false;
      return () => {
        if (!isOver) count(path, -1);
        isOver = true;
      };
    },
  };
}

/** What lies beside a copy belongs to it: locks, notes, a mirror's generations. Nobody has a turn before all have other names. */
async function evict(path: string): Promise<void> {
  const id = randomUUID();
  const away = readdirSync(dirname(path))
    .filter((name) => isOf(path, name))
    .map((name) => {
      const from = join(dirname(path), name);
      renameSync(from, `${from}${evicted}${id}`);
      return `${from}${evicted}${id}`;
    });
  for (const one of away) await removeTree(one);
}

function isOf(path: string, name: string): boolean {
  return name === basename(path) || name.startsWith(`${basename(path)}.`);
}

interface Found {
  readonly orgId: string;
  /** Of a layer that of its entry, without `.json`. */
  readonly path: string;
  readonly layer: LayerId | undefined;
}

const keyPattern = /^[0-9a-f]{32}$/;

/** All that there are; what an ended process was about to remove goes, and layers that an earlier version kept here. */
async function* listCopies(options: CopiesOptions): AsyncGenerator<Found> {
  for await (const { orgId, directory } of placesOf(options))
    for (const name of await namesIn(directory)) {
      const path = join(directory, name);
      const entry = name.endsWith('.json') ? join(directory, basename(name, '.json')) : '';
      if (name.includes(evicted) || keyPattern.test(name)) await removeTree(path);
      else if (name.endsWith('.git')) yield { orgId, path, layer: undefined };
      else if (keyPattern.test(basename(entry)))
        yield { orgId, path: entry, layer: (await readLayerEntry(entry))?.layer ?? '' };
    }
}

/** The directories that copies lie in. */
async function* placesOf({ mirrors, layers }: CopiesOptions): AsyncGenerator<{ orgId: string; directory: string }> {
  for (const orgId of await namesIn(layers)) yield { orgId, directory: join(layers, orgId) };
  for (const orgId of await namesIn(mirrors))
    for (const connection of await namesIn(join(mirrors, orgId)))
      yield { orgId, directory: join(mirrors, orgId, connection) };
}

/** Of a mirror all its generations. */
async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for (const name of await namesIn(dirname(path)))
    if (isOf(path, name) && !name.endsWith('.lock')) bytes += await bytesOnDisk(join(dirname(path), name));
  return bytes;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
