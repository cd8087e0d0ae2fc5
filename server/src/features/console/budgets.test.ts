import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const dist = join(import.meta.dirname, '../../../../console/dist');

/** A file of the build, as Vite's manifest describes it. */
interface Chunk {
  file: string;
  isDynamicEntry?: boolean;
  imports?: string[];
  css?: string[];
}

let chunks: Map<string, Chunk>;
beforeAll(async () => {
  chunks = new Map(Object.entries(JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8'))));
});

/** Returns the files that the browser must have before a chunk runs. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = chunks.get(name);
  if (chunk === undefined) throw new Error(`The build has no ${name}.`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const style of chunk.css ?? []) found.add(style);
  for (const other of chunk.imports ?? []) filesOf(other, found);
  return found;
}

function without(files: Set<string>, others: Set<string>): string[] {
  return [...files].filter((file) => !others.has(file));
}

/** Returns the size in kB of files as they are sent. */
async function sizeOf(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...files].map(async (file) => (await stat(join(dist, `${file}.gz`))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000;
}

const page = 'index.html';
/** Draws the list of sessions; it loads the other screens. */
const app = 'src/app.tsx';
const session = 'src/features/sessions/detail/SessionScreen.tsx';
const diff = 'src/ui/diff/DiffCode.tsx';

/** The files of the page and of the list of sessions. */
function firstFiles(): Set<string> {
  return filesOf(app, filesOf(page));
}

describe('what a browser loads', () => {
  test('for the list of sessions is at most 200 kB', async () => {
    expect(await sizeOf(firstFiles())).toBeLessThanOrEqual(200);
  });

  test('for the list of sessions is a few files that the page names, of which the first read ahead', async () => {
    const html = await readFile(join(dist, page), 'utf8');
    const files = [...firstFiles()];
    expect(files.filter((file) => !html.includes(file))).toEqual([]);
    // More files than a browser loads at a time wait for each other on a slow line.
    expect(files.length).toBeLessThanOrEqual(6);
    expect(await sizeOf(filesOf(page))).toBeLessThanOrEqual(40);
  });

  test('for any other screen is at most 110 kB more, and for a part of a session 10 kB more than that', async () => {
    const first = firstFiles();
    const withSession = filesOf(session, firstFiles());
    const screens: Record<string, number> = {};
    const parts: Record<string, number> = {};
    for (const [name, { isDynamicEntry }] of chunks) {
      if (isDynamicEntry !== true || !name.startsWith('src/') || name === diff) continue;
      const isPart = name !== session && name.startsWith('src/features/sessions/detail/');
      const size = await sizeOf(without(filesOf(name), isPart ? withSession : first));
      Object.assign(isPart ? parts : screens, { [name]: size });
    }
    expect(Object.keys(screens).length).toBeGreaterThan(3);
    expect(Object.keys(parts).length).toBeGreaterThan(3);
    expect(Object.entries(screens).filter(([, size]) => size > 110)).toEqual([]);
    expect(Object.entries(parts).filter(([, size]) => size > 10)).toEqual([]);
  });

  test('for diffs is at most 125 kB more than for a session', async () => {
    expect(await sizeOf(without(filesOf(diff), filesOf(session)))).toBeLessThanOrEqual(125);
  });

  test('of fonts for Latin text is at most 80 kB', async () => {
    const files = ['@fontsource-variable/hanken-grotesk', '@fontsource-variable/jetbrains-mono'].map((family) => {
      const [, name = ''] = family.split('/');
      return chunks.get(`../node_modules/${family}/files/${name}-latin-wght-normal.woff2`)?.file ?? '';
    });
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(dist, file))).size));
    expect(Math.min(...sizes)).toBeGreaterThan(1_000);
    expect(sizes.reduce((sum, size) => sum + size, 0) / 1_000).toBeLessThanOrEqual(80);
  });
});
