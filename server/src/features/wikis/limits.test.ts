import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLines } from './prose/read-lines.ts';
import { createWikiFixture, type WikiFixture } from './wikis-fixture.ts';

const manyFiles = 100_000;
const longLine = 100_000_000;
let fixture: WikiFixture;
let api: WikiFixture['api'];
let ada: WikiFixture['ada'];

beforeAll(async () => {
  fixture = await createWikiFixture();
  ({ api, ada } = fixture);
});
afterAll(() => fixture.close());

/** Writes a commit of many files by `git fast-import`: few contents, so that the test measures the number of paths. */
async function hugeRepository(): Promise<string> {
  const work = join(ada.root, 'huge');
  await mkdir(work);
  await ada.git(work, 'init', '-q', '-b', 'main');
  const contents = Array.from({ length: 50 }, (_, at) => `export function made${at}() {}\n`);
  const blob = (mark: number, text: string | Buffer): (string | Buffer)[] => [
    `blob\nmark :${mark}\ndata ${Buffer.byteLength(text)}\n`,
    text,
    '\n',
  ];
  const at = (mark: number, path: string): string => `M 100644 :${mark} ${path}\n`;
  const files = Array.from({ length: manyFiles }, (_, index) =>
    at(1 + (index % contents.length), `src/d${index % 300}/e${index % 7}/f${index}.ts`),
  );
  const parts = [
    ...contents.flatMap((text, index) => blob(1 + index, text)),
    ...blob(101, Buffer.concat([Buffer.from('const long = "'), Buffer.alloc(longLine, 'x'), Buffer.from('";\n')])),
    ...blob(102, 'export class Hidden {}\0\n'),
    ...blob(103, '# Huge\n\nHas many files.\n'),
    'commit refs/heads/main\ncommitter Ada <ada@example.org> 1 +0000\ndata 4\nmany\n',
    at(101, 'src/long.js'),
    at(102, 'src/binary.ts'),
    at(103, 'README.md'),
    ...files,
  ];
  await execa('git', ['fast-import', '--quiet'], {
    cwd: work,
    input: Buffer.concat(parts.map((part) => Buffer.from(part))),
  });
  return work;
}

test('100,000 files, a line of 100 MB and a binary with the name of a source: a wiki within its limits', async () => {
  const work = await hugeRepository();
  const { path, get } = await fixture.host('acme/huge', work);
  await api.call('POST', `${path}/wiki/regenerate`, {});
  const done = async () => {
    const { state, error } = await get('wiki');
    return `${String(state)} ${String(error)}`;
  };
  await expect.poll(done, { timeout: 240_000, interval: 500 }).toMatch(/^(?:ready|failed)/);
  expect(await done()).toBe('ready ');
  const index = await get('index');
  expect(index).toMatchObject({ files: manyFiles, skipped: { too_large: 1, binary: 1 } });
  const { pages } = await get('wiki');
  expect(Object(pages).length).toBeGreaterThan(50);
  expect(Object(pages).length).toBeLessThanOrEqual(400);
  for (const { slug } of Object(pages).slice(0, 20)) {
    const { body } = await get(`wiki/pages/${slug}`);
    expect(String(body).length).toBeLessThanOrEqual(120_000);
    expect(body).not.toMatch(/Hidden|binary\.ts|long\.js/);
  }
  expect(await get('search?q=xxxxxx')).toMatchObject({ items: [], has_more: false });
  const head = await ada.git(work, 'rev-parse', 'HEAD');
  const lines = await readLines(join(work, '.git'), head, ['README.md', 'src/long.js', 'src/binary.ts', 'src', '../x']);
  expect([...lines]).toEqual([['README.md', ['# Huge', '', 'Has many files.']]]);
}, 300_000);

test('a default branch that is gone leaves the pages that were there, with the remedy', async () => {
  const work = await ada.start({ 'README.md': '# Shop\n\nSells things.\n', 'a.ts': 'export const a = 1;\n' });
  const { id, path, url, get } = await fixture.host('acme/gone', work);
  await api.call('POST', `${path}/wiki/regenerate`, {});
  const state = async () => (await get('wiki'))['state'];
  await expect.poll(state, { timeout: 60_000 }).toBe('ready');
  // The host refuses a push that deletes it, so it goes as it would in a damaged directory.
  await expect(ada.git(work, 'push', '-q', url, ':main')).rejects.toThrow('deletion of the current branch prohibited');
  const hosted = api.ctx.config.repositories;
  const found = (await readdir(hosted, { recursive: true })).find((name) => name.endsWith(`${id}.git`));
  await ada.git(join(hosted, found ?? ''), 'update-ref', '-d', 'refs/heads/main');
  await api.call('POST', `${path}/wiki/regenerate`, {});
  await expect.poll(state, { timeout: 60_000 }).toBe('failed');
  const wiki = await get('wiki');
  expect(wiki['error']).toBe('Its index failed: The repository has no branch "main". Push it first.');
  expect(Object(wiki['pages']).length).toBeGreaterThan(1);
  expect((await get('wiki/pages/overview'))['body']).toContain('Sells things.');
  await ada.git(work, 'push', '-q', url, 'main');
  await expect.poll(state, { timeout: 60_000 }).toBe('ready');
});
