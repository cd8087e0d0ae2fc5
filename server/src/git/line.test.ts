import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initBare } from './bare.ts';
import { openCheckpoints, receiveBundle } from './checkpoints.ts';
import { diffAndPatch, diffBetween } from './diff.ts';
import { createGitFixture, type GitFixture } from './git-fixture.ts';
import { bundleLine, extendLine, sizeBeyond, unpackLine } from './line.ts';
import { statesOf } from './line-tree.ts';
import { withBinaries } from './patch-binaries.ts';

let fixture: GitFixture;
let work: string;
let base: string;
/** The worker's repository with the session's commits. */
let here: string;
const noise = randomBytes(2_000_000);

beforeAll(async () => {
  fixture = await createGitFixture();
  const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\n');
  work = await fixture.work('upstream', { 'a.txt': 'one\n', 'long.txt': lines, 'dir/gone.bin': '' });
  await writeFile(join(work, 'base.bin'), noise.subarray(0, 500_000));
  await writeFile(join(work, 'dir/gone.bin'), noise.subarray(0, 1_000));
  await fixture.client(work, 'add', '-A');
  await fixture.client(work, 'commit', '-q', '--amend', '--no-edit');
  base = await fixture.client(work, 'rev-parse', 'HEAD');
  await fixture.client(fixture.root, 'clone', '-q', '--bare', work, fixture.path('mirror.git'));
  here = fixture.path('here.git');
  await openCheckpoints(here, { mirrorPath: fixture.path('mirror.git') });
});
afterAll(() => fixture.dispose());

/** Commits a checkpoint of the work tree on the base, independently of earlier ones. */
async function checkpoint(files: Record<string, string | Buffer | null>): Promise<string> {
  for (const [name, content] of Object.entries(files))
    if (content === null) await rm(join(work, name));
    else await writeFile(join(work, name), content);
  await fixture.client(work, 'add', '-A');
  const tree = await fixture.client(work, 'write-tree');
  const commit = await fixture.client(work, 'commit-tree', tree, '-p', base, '-m', 'checkpoint');
  await fixture.client(work, 'push', '-q', here, `${commit}:refs/guildhall/checkpoints/${commit}`);
  return commit;
}

test('a line’s bundles hold what changed, bring every checkpoint back, and need not the base to be read', async () => {
  const commits = [
    await checkpoint({ 'big.bin': noise, 'a.txt': 'two\n' }),
    await checkpoint({ 'long.txt': `${await readFile(join(work, 'long.txt'), 'utf8')}\nmore\n` }),
    // A copy of a file of the base, and one of the base that changes twice.
    await checkpoint({ 'copy.bin': noise.subarray(0, 500_000), 'base.bin': noise.subarray(7, 400_000) }),
    await checkpoint({ 'base.bin': noise.subarray(8, 400_000), 'dir/gone.bin': null, '"a \\n\nb\t\u{e9}': '' }),
    await checkpoint({ 'moved.bin': noise, 'big.bin': null, 'a.txt': 'one\n' }),
  ];
  const bundles: { file: string; size: number; tip: string }[] = [];
  for (const commit of commits) {
    const after = bundles.at(-1)?.tip;
    const tip = await extendLine(here, { commit, base, ...(after === undefined ? {} : { tip: after }) });
    const file = fixture.path(`part-${bundles.length}.bundle`);
    const size = await bundleLine(here, { tip, base, file, ...(after === undefined ? {} : { after }) });
    bundles.push({ file, size, tip });
  }
  const sizes = bundles.map(({ size }) => size);
  expect(sizes[0]).toBeGreaterThan(2_000_000);
  expect(sizes[1]).toBeLessThan(200_000);
  expect(sizes[3]).toBeLessThan(10_000);
  expect(sizes[4]).toBeLessThan(10_000);
  expect(await sizeBeyond(here, commits[4] ?? '', base)).toBeGreaterThan(2_000_000);

  const elsewhere = fixture.path('elsewhere.git');
  await openCheckpoints(elsewhere, { mirrorPath: fixture.path('mirror.git') });
  for (const { file, tip } of bundles)
    expect(await receiveBundle(elsewhere, file, { ref: 'refs/guildhall/line' })).toBe(tip);
  for (const commit of commits) await fixture.client(elsewhere, 'fsck', '--connectivity-only', commit);

  const alone = fixture.path('alone.git');
  await initBare(alone, { defaultBranch: 'main' });
  for (const { file } of bundles) await unpackLine(alone, file);
  // Every two states, compared without the base, differ as with it.
  const all = [base, ...commits];
  for (const from of all)
    for (const to of all.slice(1)) {
      const trees = await statesOf(alone, bundles.at(-1)?.tip ?? '', {
        from: { commit: from, base },
        to: { commit: to, base },
      });
      const { files } = await diffBetween(alone, trees?.from ?? '', trees?.to ?? '');
      expect(files).toEqual((await diffBetween(here, from, to)).files);
    }
  const unknown = { commit: 'a'.repeat(40), base };
  const tip = bundles.at(-1)?.tip ?? '';
  expect(await statesOf(alone, tip, { from: unknown, to: unknown })).toBeUndefined();

  const { patch } = diffAndPatch(here, base, commits[4] ?? '', { binary: false });
  const pieces: Buffer[] = [];
  for await (const piece of withBinaries(small(patch), alone)) pieces.push(piece);
  await writeFile(fixture.path('whole.patch'), Buffer.concat(pieces));
  const fresh = fixture.path('fresh');
  await fixture.client(fixture.root, 'clone', '-q', fixture.path('mirror.git'), fresh);
  await fixture.client(fresh, 'apply', '--index', fixture.path('whole.patch'));
  expect(await fixture.client(fresh, 'write-tree')).toBe(
    await fixture.client(work, 'rev-parse', `${commits[4]}^{tree}`),
  );
});

/** Yields pieces that end anywhere. */
async function* small(patch: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of patch)
    for (let at = 0; at < chunk.length; at += 1_001) yield Buffer.from(chunk.subarray(at, at + 1_001));
}

test('a line on nothing holds whole work trees', async () => {
  const path = fixture.path('nothing.git');
  await openCheckpoints(path, {});
  const tree = await fixture.client(work, 'write-tree');
  const commit = await fixture.client(work, 'commit-tree', tree, '-m', 'first');
  await fixture.client(work, 'push', '-q', path, `${commit}:refs/guildhall/checkpoints/1`);
  const tip = await extendLine(path, { commit, base: '' });
  const file = fixture.path('nothing.bundle');
  await bundleLine(path, { tip, base: '', file });
  await openCheckpoints(fixture.path('restored.git'), {});
  expect(await receiveBundle(fixture.path('restored.git'), file, { ref: 'refs/guildhall/line' })).toBe(tip);
  await fixture.client(fixture.path('restored.git'), 'fsck', '--connectivity-only', commit);
});

test('two paths that are shown as one, or as a directory and a file in it, are both kept as they are', async () => {
  const commit = await checkpoint({ 'one-1': 'a\n', 'one-2': 'b\n', two: 'c\n' });
  const path = (own: Buffer): Buffer =>
    Buffer.from(
      own
        .toString()
        .replace(/one-\d/, 'one')
        .replace('two', 'one/x'),
    );
  const shown = { path, now: (id: string) => id, before: (id: string) => id };
  const tip = await extendLine(here, { commit, base, shown });
  const listed = await fixture.client(here, 'ls-tree', '-r', '--name-only', tip, 'raw/', 'new/');
  expect(listed.split('\n')).toEqual(expect.arrayContaining(['raw/one-1', 'raw/one-2', 'raw/two', 'new/one/x']));
});

test('a content that is missing is an error, and no patch that looks whole', async () => {
  const empty = fixture.path('empty.git');
  await initBare(empty, { defaultBranch: 'main' });
  const patch = `diff --git a/x b/x\nindex ${'0'.repeat(40)}..${'a'.repeat(40)}\nBinary files /dev/null and b/x differ\n`;
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.from(patch);
  }
  await expect(async () => {
    for await (const piece of withBinaries(source(), empty)) expect(piece.toString()).not.toContain('literal');
  }).rejects.toThrow('missing');
});
