import type { SourceFile } from './material.ts';

/** A directory, with what is below it unless that is a module of its own. */
export interface Module {
  /** `''` is the root. */
  path: string;
  files: SourceFile[];
  tests: SourceFile[];
}

interface Directory {
  path: string;
  files: SourceFile[];
  below: Map<string, Directory>;
  count: number;
}

const mostModules = 120;
const usualFiles = 30;
/** Directories beside each other that become modules; the smaller ones stay with the one above. */
const mostBeside = 60;

export const isTest = (path: string): boolean =>
  /(?:^|\/)(?:tests?|__tests__|spec|e2e|testing|fixtures?)\/|[._-](?:test|spec)\.\w+$|_test\.\w+$|(?:^|\/)test_[^/]*\.py$|Tests?\.(?:java|cs|php)$/.test(
    path,
  );

/** Divides files into modules along directories: one has about 30 files at most, unless they lie in one directory. */
export function modulesOf(files: readonly SourceFile[]): Module[] {
  const root = treeOf(files);
  for (let most = usualFiles; ; most *= 2) {
    const modules = divide(root, most);
    if (modules.length <= mostModules) return modules;
    if (most > 1_000_000) return modules.slice(0, mostModules);
  }
}

function treeOf(files: readonly SourceFile[]): Directory {
  const root: Directory = { path: '', files: [], below: new Map(), count: 0 };
  for (const file of files) {
    let at = root;
    at.count += 1;
    // Deeper directories belong to the one above.
    for (const part of file.path.split('/').slice(0, -1).slice(0, 20)) {
      const path = at.path === '' ? part : `${at.path}/${part}`;
      const next = at.below.get(part) ?? { path, files: [], below: new Map<string, Directory>(), count: 0 };
      at.below.set(part, next);
      at = next;
      at.count += 1;
    }
    at.files.push(file);
  }
  return root;
}

function divide(directory: Directory, most: number): Module[] {
  const isSmall = directory.count <= most;
  if (directory.count === 0) return [];
  if ((isSmall && directory.path !== '') || directory.below.size === 0)
    return [moduleOf(directory.path, allFiles(directory))];
  const below = [...directory.below.values()];
  const [own, parts] = withSmallOnes(directory, below);
  const modules = parts.flatMap((one) => divide(one, most));
  return own.length === 0 ? modules : [moduleOf(directory.path, own), ...modules];
}

/** Keeps directories of one or two files, unless at the top, and the smallest of too many, with the files beside them. */
function withSmallOnes({ path, files }: Directory, below: readonly Directory[]): [SourceFile[], Directory[]] {
  const large = below.filter(({ count }) => path === '' || count >= 3).toSorted((a, b) => b.count - a.count);
  const parts = new Set(large.slice(0, mostBeside));
  const own = [...files];
  for (const one of below) if (!parts.has(one)) for (const file of allFiles(one)) own.push(file);
  return [own, below.filter((one) => parts.has(one))];
}

function allFiles({ files, below }: Directory): SourceFile[] {
  const all = [...files];
  for (const one of below.values()) for (const file of allFiles(one)) all.push(file);
  return all;
}

function moduleOf(path: string, all: readonly SourceFile[]): Module {
  return {
    path,
    files: all.filter((file) => !isTest(file.path)),
    tests: all.filter((file) => isTest(file.path)),
  };
}
