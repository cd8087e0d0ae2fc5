import { readdirSync, renameSync } from 'node:fs';
import { readdir, readFile, stat, statfs, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { bytesOnDisk, removeTree } from '../adapters/sandbox/system.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { chooseEvicted, type Copy } from './eviction.ts';

/**
 * What a worker keeps on its disk to be quicker, and can make again: mirrors of repositories and base layers, of all
 * organizations. The data directory is this process's alone, and so is knowing what is in use.
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
  /** `<organization>/<key>`, each with a `.lock` and a `.json` beside it. */
  layers: string;
  /** What all of them may take together; 0 for any number. */
  maxBytes: number;
  /** Below twice that much free disk, copies go whatever they take. */
  reserveBytes: number;
  log: Log;
}

const evicted = '.evicted-';

export function openCopies(options: CopiesOptions): Copies {
  const { log } = options;
  const uses = createUses();
  /** What was measured since it was used last. */
  const measured = new Map<string, { bytes: number; usedMs: number }>();
  let running: Promise<void> | undefined;

  async function describe({ orgId, path }: { orgId: string; path: string }): Promise<Copy> {
    const usedMs = await stat(`${path}.lock`).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const isHeld = uses.isHeld(path);
    const before = measured.get(path);
    const bytes = before?.usedMs === usedMs && !isHeld ? before.bytes : await sizeOf(path);
    measured.set(path, { bytes, usedMs });
    return { path, orgId, bytes, usedMs, isHeld };
  }

  async function look(): Promise<void> {
    const copies: Copy[] = [];
    for await (const found of listCopies(options)) copies.push(await describe(found));
    const there = new Set(copies.map(({ path }) => path));
    for (const path of measured.keys()) if (!there.has(path)) measured.delete(path);
    const { bavail, bsize } = await statfs(options.mirrors);
    const missingBytes = Math.max(0, 2 * options.reserveBytes - bavail * bsize);
    const maxBytes = options.maxBytes === 0 ? Infinity : options.maxBytes;
    for (const { path, orgId, bytes } of chooseEvicted(copies, { maxBytes, missingBytes })) {
      // It may have come into use meanwhile.
      if (uses.isHeld(path)) continue;
      await evict(path);
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

/** All that there are; what an ended process was about to remove goes. */
async function* listCopies(options: CopiesOptions): AsyncGenerator<{ orgId: string; path: string }> {
  for await (const { orgId, directory } of placesOf(options))
    for (const name of await namesIn(directory)) {
      const path = join(directory, name);
      if (name.includes(evicted)) await removeTree(path);
      else if (/^[0-9a-f]{32}$|\.git$/.test(name)) yield { orgId, path };
    }
}

/** The directories that copies lie in. */
async function* placesOf({ mirrors, layers }: CopiesOptions): AsyncGenerator<{ orgId: string; directory: string }> {
  for (const orgId of await namesIn(layers)) yield { orgId, directory: join(layers, orgId) };
  for (const orgId of await namesIn(mirrors))
    for (const connection of await namesIn(join(mirrors, orgId)))
      yield { orgId, directory: join(mirrors, orgId, connection) };
}

/** Of a layer what was noted when it was built, for it has many files; of a mirror all its generations. */
async function sizeOf(path: string): Promise<number> {
  const about: unknown = JSON.parse(await readFile(`${path}.json`, 'utf8').catch(() => '{}'));
  const { size_bytes: noted } = Object(about);
  if (typeof noted === 'number') return noted;
  let bytes = 0;
  for (const name of await namesIn(dirname(path)))
    if (isOf(path, name) && !name.endsWith('.lock')) bytes += await bytesOnDisk(join(dirname(path), name));
  return bytes;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
