import { join } from 'node:path';
import type { Diff } from '../../../git/diff.ts';
import { readFiles } from '../../../git/tree.ts';
import { pace } from '../../../lib/pace.ts';
import type { Check } from './check.ts';
import { isTestFile } from '../../../git/sensitive-files.ts';

/** A file that the base commit does not have. */
export interface AddedFile {
  /** Relative to the workspace. */
  path: string;
  content: Buffer;
  mode: number;
}

/** The session's change of one repository. */
export interface Change {
  /** `directory` is relative to the workspace; `checkpointsPath` is the bare repository with the commit. */
  checkout: { readonly directory: string; readonly checkpointsPath: string };
  commit: string;
  diff: Diff;
}

const maxFiles = 200;
const maxBytes = 16 * 1024 ** 2;

/**
 * Returns the new files of a change that a check needs: those that its command names, and new test files, which a test runner
 * finds by itself. Returns none if there are too many: running a part of them proves nothing.
 */
export async function findAddedFiles(
  { command }: Pick<Check, 'command'>,
  changes: readonly Change[],
): Promise<AddedFile[]> {
  const names = fileNamesIn(command);
  const wanted = await Promise.all(
    changes.map(async ({ checkout: { directory, checkpointsPath }, commit, diff }) => {
      const paths: string[] = [];
      for (const { path, status } of diff.files) {
        if (status !== 'added' && status !== 'renamed') continue;
        await pace();
        if (isTestFile(path) || isNamed(names, join(directory, path))) paths.push(path);
        if (paths.length > maxFiles) break;
      }
      return { directory, checkpointsPath, commit, paths };
    }),
  );
  if (wanted.reduce((sum, { paths }) => sum + paths.length, 0) > maxFiles) return [];
  const brought: AddedFile[] = [];
  for (const { directory, checkpointsPath, commit, paths } of wanted) {
    const files = paths.length === 0 ? [] : await readFiles(checkpointsPath, commit, paths, maxBytes);
    if (files === undefined) return [];
    for (const { path, kind, content } of files)
      brought.push({ path: join(directory, path), content, mode: kind === 'executable' ? 0o755 : 0o644 });
  }
  return brought;
}

/** Returns the words of a command that may name files: paths, pytest node ids and Python modules. */
function fileNamesIn(command: string): Set<string> {
  const words = command
    .split(/[\s'"`;&|()<>$={}]+/)
    .map((word) => (word.split('::', 1)[0] ?? '').replace(/^(?:\.\/)+/, ''))
    .filter((word) => word !== '');
  const modules = words.filter((word) => /^[\w.]+$/.test(word)).map((word) => `${word.replaceAll('.', '/')}.py`);
  return new Set([...words, ...modules]);
}

/** True if the command names a path or its end, as it may do after changing the directory. */
function isNamed(names: ReadonlySet<string>, path: string): boolean {
  const ends = [0, ...[...path.matchAll(/\//g)].map(({ index }) => index + 1)];
  return ends.some((from) => names.has(path.slice(from)));
}
