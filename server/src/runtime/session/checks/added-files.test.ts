import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diffBetween } from '../../../git/diff.ts';
import { findAddedFiles, type Change } from './added-files.ts';

let directory: string;
let base: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guildhall-brought-'));
  await git('init', '-q');
  base = await commit({ 'check.sh': 'exit 1\n', 'src/a.py': 'a = 1\n' });
});

afterAll(() => rm(directory, { recursive: true, force: true }));

async function git(...args: string[]): Promise<string> {
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  return (await execa('git', [...author, ...args], { cwd: directory, env: { GIT_CONFIG_GLOBAL: '/dev/null' } })).stdout;
}

async function commit(files: Record<string, string | Buffer>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
    if (path.endsWith('.sh')) await chmod(join(directory, path), 0o755);
  }
  await git('add', '-A');
  await git('commit', '-q', '-m', 'x');
  return git('rev-parse', 'HEAD');
}

/** Returns the files that a change adds and alters, in a repository at `at` below the workspace. */
async function changeOf(files: Record<string, string | Buffer>, at = ''): Promise<Change> {
  await git('checkout', '-q', '--detach', base);
  const head = await commit(files);
  const checkpointsPath = join(directory, '.git');
  return {
    checkout: { directory: at, checkpointsPath },
    commit: head,
    diff: await diffBetween(checkpointsPath, base, head),
  };
}

const pathsFor = async (command: string, change: Change): Promise<string[]> =>
  (await findAddedFiles({ command }, [change])).map(({ path }) => path).sort();

describe('the files that a check needs and only the change brings', () => {
  test.each([
    ['./new.sh', 'new.sh'],
    ['sh "new.sh" --all', 'new.sh'],
    ['cd checks && ./deep.sh', 'checks/deep.sh'],
    ['python3 -m pytest checks/unit.py::T::test_a', 'checks/unit.py'],
    ['python3 -m unittest checks.unit', 'checks/unit.py'],
    ['FILE=new.sh; sh $FILE', 'new.sh'],
  ])('are those that `%s` names', async (command, path) => {
    const files = {
      'new.sh': 'exit 1\n',
      'checks/deep.sh': 'exit 1\n',
      'checks/unit.py': 'import b\n',
      'src/b.py': 'b = 1\n',
    };
    expect(await pathsFor(command, await changeOf(files))).toEqual([path]);
  });

  test('are new tests, which a runner finds by itself, and nothing else that is new', async () => {
    const files = {
      'src/b.py': 'b = 1\n',
      'src/b_test.go': 'x',
      'tests/data/b.json': '{}',
      'b.spec.ts': 'x',
      'README.md': 'x',
    };
    expect(await pathsFor('make test', await changeOf(files))).toEqual([
      'b.spec.ts',
      'src/b_test.go',
      'tests/data/b.json',
    ]);
  });

  test('are none that the base commit has, in another form', async () => {
    expect(await pathsFor('./check.sh', await changeOf({ 'check.sh': 'exit 0\n' }))).toEqual([]);
  });

  test('lie where their repository does, with their bytes and whether they can be executed', async () => {
    const bytes = Buffer.from([0, 255, 10]);
    const change = await changeOf({ 'new.sh': bytes, 'tests/a.bin': bytes }, 'one');
    expect(await findAddedFiles({ command: 'one/new.sh' }, [change])).toEqual([
      { path: 'one/new.sh', content: bytes, mode: 0o755 },
      { path: 'one/tests/a.bin', content: bytes, mode: 0o644 },
    ]);
  });

  test('are no links, which may lead anywhere', async () => {
    await git('checkout', '-q', '--detach', base);
    await mkdir(join(directory, 'tests'), { recursive: true });
    await symlink('/etc/passwd', join(directory, 'tests/link'));
    expect(await pathsFor('sh tests/link', await changeOf({ 'tests/a.sh': '' }))).toEqual(['tests/a.sh']);
  });

  test('are none at all where they are too many or too large: a part of them proves nothing', async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`tests/${index}.txt`, 'x']));
    expect(await pathsFor('make test', await changeOf(many))).toEqual([]);
    const large = { 'tests/one.bin': Buffer.alloc(9 * 2 ** 20, 1), 'tests/two.bin': Buffer.alloc(9 * 2 ** 20, 2) };
    expect(await pathsFor('make test', await changeOf(large))).toEqual([]);
  });
});
