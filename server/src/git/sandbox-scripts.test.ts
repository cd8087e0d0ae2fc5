import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commitInfo } from './bare.ts';
import { checkpointRef, openCheckpoints, receiveBundle } from './checkpoints.ts';
import { createGitFixture } from './git-fixture.ts';
import { git } from './native.ts';
import { cloneScript, parseSnapshot, restoreScript, snapshotScript } from './sandbox-scripts.ts';
import type { GitFixture } from './git-fixture.ts';
import type { SandboxRepository, Snapshot } from './sandbox-scripts.ts';

let fixture: GitFixture;
let mirrorPath: string;
let baseCommit: string;
let repository: SandboxRepository;
let counter = 0;
const author = { name: "Agent O'Neil", email: 'agent@example.org' };
const branch = 'guildhall/ses_1';

beforeAll(async () => {
  fixture = await createGitFixture();
  const work = await fixture.work('upstream', {
    'a.txt': 'one\n',
    'dir/b.txt': 'two\n',
    'run.sh': '#!/bin/sh\n',
    '.gitignore': 'node_modules/\n*.log\n',
    'tracked.log': 'kept\n',
  });
  await fixture.client(work, 'add', '-f', 'tracked.log');
  await fixture.client(work, 'commit', '-q', '--amend', '--no-edit');
  await fixture.client(work, 'tag', 'v1.0');
  baseCommit = await fixture.client(work, 'rev-parse', 'HEAD');
  mirrorPath = fixture.path('mirror.git');
  await fixture.client(fixture.root, 'clone', '-q', '--bare', work, mirrorPath);
});
afterAll(() => fixture.dispose());
beforeEach(async () => {
  counter += 1;
  const home = fixture.path(`sandbox-${counter}`);
  await mkdir(join(home, 'out'), { recursive: true });
  repository = { workspace: join(home, 'workspace'), gitDir: join(home, '.guildhall/git'), mirrorPath, baseCommit };
});

/** Runs a script as a sandbox would: with another environment, in bash. */
async function bash(script: string, env: Record<string, string> = {}): Promise<string> {
  const result = await execa('bash', ['-c', script], {
    env: { PATH: process.env['PATH'] ?? '', HOME: repository.workspace, ...env },
    extendEnv: false,
    stripFinalNewline: false,
  });
  return result.stdout;
}

async function clone(by = author): Promise<void> {
  const remoteUrl = 'http://gateway.invalid/git/x';
  await bash(cloneScript({ ...repository, branch, baseBranch: 'main', remoteUrl, author: by }));
}

const bundlePath = (): string => join(dirname(repository.workspace), 'out/bundle');

async function snapshot(
  options: {
    parent?: string;
    lastTree?: string;
    mergeCommit?: string;
    maxFileBytes?: number;
    env?: Record<string, string>;
    /** Commands that run before. */
    first?: string;
  } = {},
): Promise<Snapshot> {
  const { env, first = '', ...rest } = options;
  const script = snapshotScript({
    ...repository,
    parent: baseCommit,
    author,
    message: "It's a `checkpoint` $(id)\n",
    bundlePath: bundlePath(),
    ...rest,
  });
  const parsed = parseSnapshot(await bash(`${first}\n${script}`, env));
  if (parsed === undefined) throw new Error('the script printed no snapshot');
  return parsed;
}

const write = (name: string, content: string | Uint8Array): Promise<void> =>
  writeFile(join(repository.workspace, name), content);

/** Returns the paths of the last snapshot, read on the host from a repository that accepted its bundle. */
async function received(taken: Snapshot, number = 1): Promise<string[]> {
  const path = fixture.path(`checkpoints-${counter}.git`);
  await openCheckpoints(path, { mirrorPath });
  expect(await receiveBundle(path, bundlePath(), { ref: checkpointRef(number) })).toBe(taken.commit);
  const { stdout } = await git(['ls-tree', '-r', '-z', '--name-only', taken.commit], { gitDir: path });
  return stdout.split('\0').filter((name) => name !== '');
}
const baseFiles = ['.gitignore', 'a.txt', 'dir/b.txt', 'run.sh', 'tracked.log'];

describe('the clone', () => {
  test('stands on the session’s branch at the base, knows tags and upstream, borrows its objects, and points to the gateway', async () => {
    await clone();
    const ws = repository.workspace;
    expect(await fixture.client(ws, 'status', '--porcelain', '--branch')).toBe(`## ${branch}`);
    expect(await fixture.client(ws, 'rev-parse', 'HEAD')).toBe(baseCommit);
    expect(await fixture.client(ws, 'describe', '--tags')).toBe('v1.0');
    expect(await fixture.client(ws, 'rev-parse', 'origin/main', 'origin/HEAD')).toBe(`${baseCommit}\n${baseCommit}`);
    expect(await fixture.client(ws, 'remote', 'get-url', 'origin')).toBe('http://gateway.invalid/git/x');
    expect(await fixture.client(ws, 'config', 'user.name')).toBe("Agent O'Neil");
    expect(await fixture.client(ws, 'count-objects')).toBe('0 objects, 0 kilobytes');
    await write('new.txt', 'x');
    await fixture.client(ws, 'add', '-A');
    await fixture.client(ws, 'commit', '-q', '-m', 'agent commits');
  });

  test('configures a new repository as one of a layer, whatever the author is called', async () => {
    const by = { name: ` "Ada" \\n $(id); # 'x'\tö `, email: 'ada@example.org' };
    const settings = () => fixture.client(repository.workspace, 'config', '--local', '--list', '--null');
    await clone(by);
    const fresh = await settings();
    await clone(by);
    expect(await settings()).toBe(fresh);
    expect(fresh.split('\0')).toContain(`user.name\n${by.name}`);
    await fixture.client(repository.workspace, 'remote', 'set-url', 'origin', 'http://elsewhere.invalid');
    expect(await fixture.client(repository.workspace, 'remote', 'get-url', 'origin')).toBe('http://elsewhere.invalid');
  });

  test('works on a layer that holds an older checkout, and keeps what git ignores', async () => {
    await clone();
    await mkdir(join(repository.workspace, 'node_modules'));
    await write('node_modules/x', 'installed');
    await write('a.txt', 'changed in the layer');
    await rm(join(repository.workspace, 'run.sh'));
    await clone();
    expect(await fixture.client(repository.workspace, 'status', '--porcelain')).toBe('');
    expect(await readFile(join(repository.workspace, 'node_modules/x'), 'utf8')).toBe('installed');
  });

  test('works on a layer whose branches name commits that the mirror has no more', async () => {
    await clone();
    await writeFile(join(repository.workspace, '.git/refs/heads/older'), `${'a'.repeat(40)}\n`);
    await writeFile(join(repository.workspace, '.git/HEAD'), 'ref: refs/heads/older\n');
    await clone();
    expect(await fixture.client(repository.workspace, 'status', '--porcelain')).toBe('');
    expect(await fixture.client(repository.workspace, 'rev-list', '--all', '--max-count=1')).toBe(baseCommit);
  });

  test('works for another user than the one the mirror belongs to', async (context) => {
    if (process.getuid?.() !== 0) context.skip('needs root');
    const home = dirname(repository.workspace);
    await chmod(fixture.root, 0o755);
    await chown(home, 65_534, 65_534);
    await chown(join(home, 'out'), 65_534, 65_534);
    const script = cloneScript({ ...repository, branch, baseBranch: 'main', remoteUrl: 'http://g.invalid', author });
    const take = snapshotScript({ ...repository, parent: baseCommit, author, message: 'm', bundlePath: bundlePath() });
    const result = await execa('bash', ['-c', `${script}\necho x > new.txt\nbash -c "$TAKE"`], {
      env: { PATH: process.env['PATH'] ?? '', TAKE: take },
      extendEnv: false,
      uid: 65_534,
      gid: 65_534,
      stripFinalNewline: false,
    });
    const taken = parseSnapshot(result.stdout);
    expect(taken?.changed).toBe(true);
  });
});

describe('the snapshot', () => {
  test('of an unchanged tree says so and writes no bundle', async () => {
    await clone();
    expect(await snapshot()).toMatchObject({ commit: baseCommit, changed: false, skipped: [] });
    expect(existsSync(bundlePath())).toBe(false);
  });

  test('holds changed, new, deleted, renamed and executable files and odd names, not ignored ones', async () => {
    await clone();
    const ws = repository.workspace;
    await write('a.txt', 'ONE\n');
    await rm(join(ws, 'dir'), { recursive: true });
    await write('dir', 'now a file');
    await rename(join(ws, 'run.sh'), join(ws, 'renamed.sh'));
    await chmod(join(ws, 'renamed.sh'), 0o755);
    await write('line\nbreak "quoted" \\ *', 'x');
    await write('--option', 'x');
    await write(':(exclude)a.txt', 'x');
    await write('empty', '');
    await symlink('/etc/passwd', join(ws, 'link'));
    await symlink('nowhere', join(ws, 'dangling'));
    await mkdir(join(ws, 'node_modules'));
    await write('node_modules/x', 'ignored');
    await write('noise.log', 'ignored');
    await write('tracked.log', 'changed');
    await execa('mkfifo', [join(ws, 'pipe')]);
    const taken = await snapshot();
    expect(taken.changed).toBe(true);
    expect(new Set(await received(taken))).toEqual(
      new Set([
        '.gitignore',
        'a.txt',
        'dir',
        'renamed.sh',
        'line\nbreak "quoted" \\ *',
        '--option',
        ':(exclude)a.txt',
        'empty',
        'link',
        'dangling',
        'tracked.log',
      ]),
    );
    const info = await commitInfo(fixture.path(`checkpoints-${counter}.git`), taken.commit);
    expect(info).toMatchObject({ parents: [baseCommit], author, message: "It's a `checkpoint` $(id)" });
  });

  test('is what git itself would take, whichever kind of file became which other', async () => {
    await clone();
    const { workspace } = repository;
    const at = (...names: string[]): string => join(workspace, ...names);
    const kinds = ['file', 'directory', 'link', 'nothing'] as const;
    const put = async (name: string, kind: (typeof kinds)[number], content: string): Promise<void> => {
      await rm(at(name), { recursive: true, force: true });
      if (kind === 'file') await writeFile(at(name), content, { mode: 0o755 });
      if (kind === 'link') await symlink('a.txt', at(name));
      if (kind === 'directory') await mkdir(at(name));
      if (kind === 'directory') await writeFile(at(name, 'inner'), content);
    };
    const pairs = kinds.flatMap((before) => kinds.map((after) => ({ before, after })));
    const index = { GIT_INDEX_FILE: join(dirname(workspace), 'other-index') };
    for (const { before, after } of pairs) {
      await put('changing', before, 'before\n');
      await snapshot();
      await put('changing', after, 'after\n');
      await writeFile(at('.gitignore'), after === 'file' ? 'tracked.log\n' : 'dir/\n');
      const { tree } = await snapshot();
      await execa('git', ['read-tree', baseCommit], { cwd: workspace, env: index });
      await execa('git', ['add', '-A'], { cwd: workspace, env: index });
      const { stdout } = await execa('git', ['write-tree'], { cwd: workspace, env: index });
      expect({ before, after, tree }).toEqual({ before, after, tree: stdout });
    }
  });

  test('leaves the agent’s HEAD, branch, index and staged changes as they are', async () => {
    await clone();
    const ws = repository.workspace;
    await write('staged.txt', 'x');
    await fixture.client(ws, 'add', 'staged.txt');
    await write('unstaged.txt', 'x');
    const before = [
      await fixture.client(ws, 'status', '--porcelain'),
      await fixture.client(ws, 'for-each-ref'),
      await readFile(join(ws, '.git/index')),
    ];
    expect(await received(await snapshot())).toEqual([...baseFiles, 'staged.txt', 'unstaged.txt'].sort());
    expect(await readFile(join(ws, '.git/index'))).toEqual(before[2]);
    expect([await fixture.client(ws, 'status', '--porcelain'), await fixture.client(ws, 'for-each-ref')]).toEqual(
      before.slice(0, 2),
    );
  });

  test('a second one builds on the first, and its bundle alone is enough', async () => {
    await clone();
    await write('first.txt', 'x');
    const first = await snapshot();
    expect((await snapshot({ parent: first.commit })).changed).toBe(false);
    await write('second.txt', 'x');
    const second = await snapshot({ parent: first.commit });
    expect(await received(second)).toEqual(
      [...baseFiles.slice(0, 3), 'first.txt', 'run.sh', 'second.txt', 'tracked.log'].sort(),
    );
    const info = await commitInfo(fixture.path(`checkpoints-${counter}.git`), second.commit);
    expect(info?.parents).toEqual([first.commit]);
  });

  test('of a tree that was seen already makes no commit, and one that went back to the base makes one', async () => {
    await clone();
    await write('new.txt', 'x');
    const first = await snapshot();
    expect((await snapshot({ lastTree: first.tree })).changed).toBe(false);
    await rm(join(repository.workspace, 'new.txt'));
    const back = await snapshot({ lastTree: first.tree });
    expect(back.changed).toBe(true);
    expect(await received(back)).toEqual(baseFiles);
  });

  test('repositories inside the workspace are plain files, with or without commits and in each other', async () => {
    await clone();
    const ws = repository.workspace;
    for (const name of ['committed', 'empty', 'committed/inner', 'node_modules/dep']) {
      await mkdir(join(ws, name), { recursive: true });
      await fixture.client(join(ws, name), 'init', '-q');
      await write(`${name}/file.txt`, name);
    }
    await fixture.client(join(ws, 'committed'), 'add', 'file.txt');
    await fixture.client(join(ws, 'committed'), 'commit', '-q', '-m', 'x');
    await write('committed/.gitignore', 'secret\n');
    await write('committed/secret', 'ignored');
    const files = ['committed/.gitignore', 'committed/file.txt', 'committed/inner/file.txt', 'empty/file.txt'];
    const taken = await snapshot();
    expect(await received(taken)).toEqual([...baseFiles, ...files].sort());
    await write('empty/more.txt', 'x');
    expect(await received(await snapshot({ parent: taken.commit }), 2)).toEqual(
      [...baseFiles, ...files, 'empty/more.txt'].sort(),
    );
  });

  test('a file that is too large is left out and named; it does not keep the rest from being taken', async () => {
    await clone();
    await write('large\nfile', '');
    await truncate(join(repository.workspace, 'large\nfile'), 2_000_000);
    await write('small', 'x');
    const taken = await snapshot({ maxFileBytes: 1_000_000 });
    expect(taken.skipped).toEqual(['large\nfile']);
    expect(await received(taken)).toEqual([...baseFiles.slice(0, 4), 'small', 'tracked.log']);
    expect(await snapshot({ maxFileBytes: 1_000_000, parent: taken.commit })).toMatchObject({
      changed: false,
      skipped: ['large\nfile'],
    });
  });

  test('names git refuses are left out and named, and everything else is taken', async () => {
    await clone();
    for (const name of ['.GIT', 'git~1', 'zzz']) {
      await mkdir(join(repository.workspace, name));
      await write(`${name}/f`, 'x');
    }
    await symlink('/etc/passwd', join(repository.workspace, '.gitmodules'));
    const taken = await snapshot();
    expect(taken.skipped.sort()).toEqual(['.GIT/f', '.gitmodules', 'git~1/f']);
    expect(await received(taken)).toEqual([...baseFiles, 'zzz/f']);
  });

  test('a registered submodule stays as it is, checked out or not', async () => {
    const work = await fixture.work(`super-${counter}`, { 'a.txt': 'x' });
    const link = await fixture.client(work, 'rev-parse', 'HEAD');
    await fixture.client(work, 'update-index', '--add', '--cacheinfo', `160000,${link},sub`);
    await fixture.client(work, 'commit', '-q', '-m', 'submodule');
    const mirror = fixture.path(`super-${counter}.git`);
    await fixture.client(fixture.root, 'clone', '-q', '--bare', work, mirror);
    repository = { ...repository, mirrorPath: mirror, baseCommit: await fixture.client(work, 'rev-parse', 'HEAD') };
    await clone();
    expect((await snapshot({ parent: repository.baseCommit })).changed).toBe(false);
    await fixture.client(repository.workspace, 'clone', '-q', work, 'sub');
    await fixture.client(join(repository.workspace, 'sub'), 'checkout', '-q', link);
    await write('b.txt', 'x');
    const taken = await snapshot({ parent: repository.baseCommit });
    const { stdout } = await git(['ls-tree', '-r', taken.tree], { gitDir: repository.gitDir });
    expect(stdout).toContain(`160000 commit ${link}\tsub`);
    expect(stdout).toContain('b.txt');
  });

  test('nothing the agent does to its repository, environment or hooks matters', async () => {
    await clone();
    const ws = repository.workspace;
    const trap = join(dirname(ws), 'trapped');
    await fixture.client(ws, 'config', 'core.fsmonitor', `touch ${trap}; false`);
    await fixture.client(ws, 'config', 'filter.evil.clean', `touch ${trap}; cat`);
    await mkdir(join(ws, '.git/hooks'), { recursive: true });
    for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction']) {
      await writeFile(join(ws, '.git/hooks', hook), `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 });
    }
    await write('.gitattributes', '* filter=evil\n');
    await write('.git/info/exclude', '*\n').catch(() => undefined);
    await write('new.txt', 'x');
    const env = {
      GIT_DIR: '/nonexistent',
      GIT_INDEX_FILE: '/nonexistent',
      GIT_CONFIG_PARAMETERS: "'a.b=c'",
      GIT_WORK_TREE: '/',
    };
    expect(await received(await snapshot({ env }))).toContain('new.txt');
    expect(existsSync(trap)).toBe(false);
    await rm(join(ws, '.git'), { recursive: true });
    await write('.git', 'gitdir: /nonexistent\n');
    await write('after.txt', 'x');
    const taken = await snapshot();
    expect(await received(taken, 2)).toEqual(expect.arrayContaining(['after.txt', 'new.txt']));
  });

  test('a private directory that was emptied, damaged, locked or removed is made anew', async () => {
    await clone();
    await write('new.txt', 'x');
    const wanted = (await snapshot()).tree;
    const damages: (() => Promise<void>)[] = [
      () => rm(repository.gitDir, { recursive: true }),
      () => rm(join(repository.gitDir, 'HEAD')),
      () => writeFile(join(repository.gitDir, 'index'), 'garbage'),
      () => writeFile(join(repository.gitDir, 'index.lock'), ''),
      () => writeFile(join(repository.gitDir, 'config'), '[broken'),
      () => rm(join(repository.gitDir, 'objects'), { recursive: true }),
      async () => {
        for (const name of await readdir(join(repository.gitDir, 'objects'))) {
          if (name.length === 2) await rm(join(repository.gitDir, 'objects', name), { recursive: true });
        }
      },
    ];
    for (const [index, damage] of damages.entries()) {
      await damage();
      expect((await snapshot()).tree, `damage ${index}`).toBe(wanted);
    }
  });

  test('that fails leaves no bundle, which would take the space of the next one', async () => {
    await clone();
    for (let number = 0; number < 40; number += 1) await write(`${number}.bin`, randomBytes(10_000));
    // The bundle is the only file larger than 64 KiB.
    await expect(snapshot({ first: 'ulimit -f 64' })).rejects.toThrow();
    expect(existsSync(bundlePath())).toBe(false);
    expect(await received(await snapshot())).toHaveLength(baseFiles.length + 40);
  });

  test('follows a commit to merge when the agent merged it', async () => {
    await clone();
    const tree = `${baseCommit}^{tree}`;
    const other = await fixture.client(mirrorPath, 'commit-tree', '-p', baseCommit, '-m', 'other', tree);
    const absent = 'a'.repeat(40);
    await write('first.txt', 'x');
    expect(await snapshot({ mergeCommit: absent })).toMatchObject({ changed: true, merged: false });
    expect(await snapshot({ mergeCommit: other })).toMatchObject({ changed: true, merged: false });
    await fixture.client(repository.workspace, 'merge', '-q', other);
    const taken = await snapshot({ mergeCommit: other });
    expect(taken).toMatchObject({ changed: true, merged: true });
    await received(taken);
    const info = await commitInfo(fixture.path(`checkpoints-${counter}.git`), taken.commit);
    expect(info?.parents).toEqual([baseCommit, other]);
  });

  test('works where the session has no repository at all', async () => {
    repository = { ...repository, mirrorPath: '', baseCommit: '' };
    await clone();
    expect(await snapshot({ parent: '' })).toMatchObject({ commit: '', changed: false });
    await write('only.txt', 'x');
    const taken = await snapshot({ parent: '' });
    const path = fixture.path('alone.git');
    await openCheckpoints(path, {});
    expect(await receiveBundle(path, bundlePath(), { ref: checkpointRef(1) })).toBe(taken.commit);
  });

  test('output that was cut or forged is not taken for a snapshot', () => {
    expect(parseSnapshot('')).toBeUndefined();
    expect(parseSnapshot(`commit ${'a'.repeat(40)}\ntree ${'b'.repeat(40)}\nchanged 1\n`)).toBeUndefined();
    expect(parseSnapshot(`commit --all\ntree ${'b'.repeat(40)}\nchanged 1\nmerged 0\nskipped \n`)).toBeUndefined();
  });
});

describe('the restore', () => {
  test('gives the work tree of the checkpoint on another machine, as changes of the session’s branch', async () => {
    await clone();
    await write('a.txt', 'CHANGED\n');
    await rm(join(repository.workspace, 'dir'), { recursive: true });
    await write('new.txt', 'x');
    const taken = await snapshot();
    const kept = bundlePath();
    const home = fixture.path(`elsewhere-${counter}`);
    await mkdir(join(home, 'out'), { recursive: true });
    repository = { ...repository, workspace: join(home, 'workspace'), gitDir: join(home, '.guildhall/git') };
    await clone();
    await bash(restoreScript({ ...repository, bundlePath: kept, commit: taken.commit }));
    const ws = repository.workspace;
    expect(await readFile(join(ws, 'a.txt'), 'utf8')).toBe('CHANGED\n');
    expect((await fixture.client(ws, 'status', '--porcelain')).split('\n').map((line) => line.trim())).toEqual([
      'M a.txt',
      'D dir/b.txt',
      '?? new.txt',
    ]);
    expect((await snapshot({ parent: taken.commit })).changed).toBe(false);
    await write('more.txt', 'x');
    expect(await received(await snapshot({ parent: taken.commit }))).toEqual(
      expect.arrayContaining(['more.txt', 'new.txt']),
    );
  });
});
