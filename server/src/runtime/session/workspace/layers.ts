import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { withFileLock } from '../../../git/file-lock.ts';
import { bytesOnDisk } from '../../../adapters/sandbox/system.ts';

/** Base layers of an organization on this host: `<key>/` as a driver saved it, `<key>.json` with its size and commits, `<key>.lock`. */
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

const buildTimeoutMs = 60 * 60_000;

/** The layers in a directory; `hold` is told of each before it is looked for, so that it stays as long as it is used. */
export function openLayers(directory: string, hold: (path: string) => void): Layers {
  return {
    async obtain(key, build, signal) {
      await mkdir(directory, { recursive: true, mode: 0o755 });
      const path = join(directory, key);
      hold(path);
      if (existsSync(path)) return { path, commits: await commitsOf(path) };
      await withFileLock(`${path}.lock`, { timeoutMs: buildTimeoutMs, signal }, async () => {
        if (existsSync(path)) return;
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
