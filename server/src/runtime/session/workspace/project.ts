import { createHash } from 'node:crypto';
import { createCommitCache } from '../../../git/commit-cache.ts';
import { git } from '../../../git/native.ts';
import { projectFiles } from '../checks/check.ts';

/** Project files at the root of a commit. */
export interface Project {
  /** The root; '' if there is no commit. */
  tree: string;
  /** Contents of those {@link projectFiles} that exist. */
  files: ReadonlyMap<string, string>;
  /** Blob ids of project files, lockfiles and manifests, by name. */
  blobs: ReadonlyMap<string, string>;
}

const maxFileBytes = 1024 * 1024;

/** Most sessions start from the newest commit, as others did. */
const projects = createCommitCache<Project>(4 * 1024 ** 2, ({ files, blobs }) =>
  [...files.values()].reduce((sum, content) => sum + 2 * content.length, 1_000 + 200 * blobs.size),
);

/** Reads the root of a commit in a bare repository. The result is shared and must not be changed. */
export function projectOf(gitDir: string, commit: string): Promise<Project> {
  return projects.get(`${gitDir} ${commit}`, () => readProject(gitDir, commit));
}

async function readProject(gitDir: string, commit: string): Promise<Project> {
  // Lists only known names: a root may have any number of entries.
  const named = [...new Set([...projectFiles, ...lockfiles, ...manifests])];
  const [{ stdout }, root] = await Promise.all([
    git(['ls-tree', '-z', '--end-of-options', commit, ...named], { gitDir }),
    git(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], { gitDir }),
  ]);
  const blobs = new Map<string, string>();
  for (const line of stdout.split('\0')) {
    const [, id = '', name = ''] = /^100\d{3} blob ([0-9a-f]{40})\t(.*)$/s.exec(line) ?? [];
    if (name !== '') blobs.set(name, id);
  }
  const names = projectFiles.filter((name) => blobs.has(name));
  const contents = await Promise.all(names.map((name) => readBlob(gitDir, blobs.get(name) ?? '')));
  return { tree: root.stdout.trim(), blobs, files: new Map(names.map((name, index) => [name, contents[index] ?? ''])) };
}

async function readBlob(gitDir: string, id: string): Promise<string> {
  const { stdout } = await git(['cat-file', '-s', id], { gitDir });
  return Number(stdout) > maxFileBytes ? '' : (await git(['cat-file', 'blob', id], { gitDir })).stdout;
}

const lockfiles = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'requirements.txt',
  'requirements-dev.txt',
  'poetry.lock',
  'uv.lock',
  'Pipfile.lock',
  'pdm.lock',
  'go.sum',
  'Cargo.lock',
  'Gemfile.lock',
  'composer.lock',
  'mix.lock',
];
const manifests = [
  'package.json',
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'go.mod',
  'Cargo.toml',
  'Gemfile',
  'composer.json',
  'mix.exs',
];

export interface SetUpRepository {
  id: string;
  directory: string;
  setupCommand: string;
  blobs: ReadonlyMap<string, string>;
  /** Tree of a commit that may share the layer only with the same files, e.g. one outside the default branch; `''` otherwise. */
  foreignTree: string;
}

/**
 * Returns the key of these repositories' base layer, which depends on setup commands and lockfiles; on the manifests if a
 * repository has no lockfile.
 */
export function layerKey(kind: string, repositories: readonly SetUpRepository[]): string {
  const parts = repositories.map(({ id, directory, setupCommand, blobs, foreignTree }) => {
    const locked = lockfiles.filter((name) => blobs.has(name));
    const names = locked.length > 0 ? locked : manifests.filter((name) => blobs.has(name));
    return [id, directory, setupCommand, foreignTree, ...names.map((name) => `${name} ${blobs.get(name) ?? ''}`)];
  });
  return createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest('hex')
    .slice(0, 32);
}
