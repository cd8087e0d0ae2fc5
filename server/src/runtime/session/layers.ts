import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { withFileLock } from '../../adapters/git/file-lock.ts';
import { bytesOnDisk } from '../../adapters/sandbox/system.ts';

/** Base layers on this host: `<key>/` as a driver saved it, `<key>.json` with its size and commits, `<key>.lock`. */
export interface Layers {
  /**
   * The path of a layer, built by `build` when there is none; who else wants it meanwhile waits. `build` gets the path
   * that has to be there afterwards.
   */
  obtain(
    key: string,
    build: { run(path: string): Promise<void>; commits: readonly string[] },
    signal: AbortSignal,
  ): Promise<Layer>;
}

export interface Layer {
  readonly path: string;
  /** What was checked out when it was built; `[]` where that is not known. */
  readonly commits: readonly string[];
}

const About = Type.Object({ commits: Type.Array(Type.String()) });

const maxTotalBytes = 10 * 1024 ** 3;
const buildTimeoutMs = 60 * 60_000;
/** Sandboxes of other workers may still stand on a layer that was used this recently. */
const keptMs = 24 * 60 * 60_000;

export function openLayers(directory: string): Layers {
  return {
    async obtain(key, build, signal) {
      await mkdir(directory, { recursive: true, mode: 0o755 });
      const path = join(directory, key);
      if (await isUsed(path)) return { path, commits: await commitsOf(path) };
      await withFileLock(`${path}.lock`, { timeoutMs: buildTimeoutMs, signal }, async () => {
        if (await isUsed(path)) return;
        await makeRoom(directory);
        await build.run(path);
        const about = { size_bytes: await bytesOnDisk(path), commits: build.commits };
        await writeFile(`${path}.json`, JSON.stringify(about));
      });
      return { path, commits: await commitsOf(path) };
    },
  };
}

async function commitsOf(path: string): Promise<readonly string[]> {
  const text = await readFile(`${path}.json`, 'utf8').catch(() => '{}');
  const about: unknown = JSON.parse(text);
  return Value.Check(About, about) ? about.commits : [];
}

/** Whether the layer exists; notes its use. */
async function isUsed(path: string): Promise<boolean> {
  const now = new Date();
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists) await utimes(`${path}.lock`, now, now).catch(() => undefined);
  return exists;
}

/** Removes the layers that were not used for longest while all of them take too much. */
async function makeRoom(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => /^[0-9a-f]{32}$/.test(name));
  const layers = await Promise.all(names.map((name) => describe(join(directory, name))));
  let total = layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const { path, sizeBytes, usedMs } of layers.sort((a, b) => a.usedMs - b.usedMs)) {
    if (total <= maxTotalBytes || Date.now() - usedMs < keptMs) return;
    await rm(path, { recursive: true, force: true });
    await rm(`${path}.json`, { force: true });
    total -= sizeBytes;
  }
}

async function describe(path: string): Promise<{ path: string; sizeBytes: number; usedMs: number }> {
  const [size, used] = await Promise.all([
    readFile(`${path}.json`, 'utf8').then(
      (text) => Number(/\d+/.exec(text)?.[0] ?? 0),
      () => bytesOnDisk(path),
    ),
    stat(`${path}.lock`).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  ]);
  return { path, sizeBytes: size, usedMs: used };
}
