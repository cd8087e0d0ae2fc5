import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sizeOnDisk } from './disk-use.ts';

/*
 * An entry of a cache on disk is a path with files beside it whose names continue its own: its lock, notes and generations. One
 * process uses the cache, so it knows which entries are in use.
 */

/** Part of the name of what is being removed. */
export const evicted = '.evicted-';

/** Returns the mirrors of a directory by the names in it, also those of which there is only the beginning of a first copy. */
export function mirrorNames(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => /^[^.]+\.git(?=$|\.new-[0-9a-f]{12}$)/.exec(name)?.[0] ?? []))];
}

/** Returns the time of an entry's last use in milliseconds; 0 if it is unknown. */
export async function lastUseOf(path: string): Promise<number> {
  return stat(`${path}.lock`).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/** Counts the uses of each entry. The lock file's modification time is the time of the last use. */
export function createUses() {
  const counts = new Map<string, number>();
  const count = (path: string, change: number): void => {
    const now = new Date();
    void utimes(`${path}.lock`, now, now).catch(() => undefined);
    const uses = (counts.get(path) ?? 0) + change;
    if (uses > 0) counts.set(path, uses);
    else counts.delete(path);
  };
  return {
    isInUse: (path: string): boolean => counts.has(path),
    paths: (): string[] => [...counts.keys()],
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

/**
 * Removes an entry with its lock, notes and generations. It renames all of them synchronously first, so that nobody
 * meets half an entry.
 */
export async function removeEntry(path: string): Promise<void> {
  const id = randomUUID();
  const away = readdirSync(dirname(path))
    .filter((name) => belongsTo(path, name))
    .map((name) => {
      const from = join(dirname(path), name);
      renameSync(from, `${from}${evicted}${id}`);
      return `${from}${evicted}${id}`;
    });
  for (const one of away) await rm(one, { recursive: true, force: true });
}

function belongsTo(path: string, name: string): boolean {
  return name === basename(path) || name.startsWith(`${basename(path)}.`);
}

/** Returns an entry's size on disk in bytes; for a mirror with all its generations. */
export async function sizeOfEntry(path: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(dirname(path)).catch(() => []))
    if (belongsTo(path, name) && !name.endsWith('.lock'))
      bytes += await sizeOnDisk(join(dirname(path), name)).catch(() => 0);
  return bytes;
}
