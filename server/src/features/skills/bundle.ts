import { createHash } from 'node:crypto';

/** One file of a skill. */
export interface BundleFile {
  /** Relative to the skill's directory, with `/` between its parts. */
  path: string;
  content: Buffer;
  executable: boolean;
}

/** What is wrong with a bundle: where, and how it should be. */
export interface Problem {
  /** `''` for the bundle as a whole. */
  path: string;
  /** Counted from 1; 0 where no line is meant. */
  line: number;
  message: string;
}

export const limits = { files: 100, fileBytes: 262_144, totalBytes: 1_048_576 } as const;
export const maxPathLength = 255;

/** What a file would be written to on any system, if at all. */
const reservedParts = new Set(['.', '..']);

/** Why a path cannot be one of a bundle's; undefined for one that can. */
export function problemOfPath(path: string): string | undefined {
  if (path === '') return 'A path must not be empty.';
  if (path.length > maxPathLength) return `A path has at most ${maxPathLength} characters.`;
  if (!path.isWellFormed() || /\p{Control}/u.test(path)) return 'A path must not hold control characters.';
  if (path.includes('\\')) return 'The parts of a path are divided by "/", never by "\\".';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'A path must be relative to the skill.';
  const parts = path.split('/');
  if (parts.some((part) => reservedParts.has(part))) return 'A path must not lead out of the skill by "." or "..".';
  if (parts.includes('')) return 'A path must not have empty parts.';
  if (parts.some((part) => part.toLowerCase() === '.git')) return 'A skill must not hold a git directory.';
  return undefined;
}

/** What is wrong with the files as such, whatever SKILL.md says. */
export function problemsOfFiles(files: readonly BundleFile[]): Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, message: string): void => void problems.push({ path, line: 0, message });
  if (files.length > limits.files) add('', `A skill has at most ${limits.files} files, not ${files.length}.`);
  const size = sizeOf(files);
  if (size > limits.totalBytes) add('', `A skill has at most ${limits.totalBytes} bytes, not ${size}.`);
  const named: BundleFile[] = [];
  for (const file of files) {
    const { path, content } = file;
    const problem = problemOfPath(path);
    if (problem === undefined) named.push(file);
    else add(path.slice(0, maxPathLength), problem);
    if (content.length > limits.fileBytes)
      add(path, `A file has at most ${limits.fileBytes} bytes, not ${content.length}.`);
  }
  for (const { path, message } of collisions(named)) add(path, message);
  return problems;
}

/** Two paths that are one where case or the composition of letters does not count, or a file where a directory must be. */
function collisions(files: readonly BundleFile[]): { path: string; message: string }[] {
  const found: { path: string; message: string }[] = [];
  const byName = new Map<string, string>();
  for (const { path } of files) {
    const other = byName.get(folded(path));
    if (other === path) found.push({ path, message: 'The skill has this path twice.' });
    else if (other !== undefined)
      found.push({ path, message: `Where case does not count this is the same path as ${other}.` });
    byName.set(folded(path), path);
  }
  for (const { path } of files)
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      const above = byName.get(folded(path.slice(0, at)));
      if (above !== undefined) found.push({ path, message: `${above} is a file, so nothing can lie below it.` });
    }
  return found;
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

export function sizeOf(files: readonly { content: Buffer }[]): number {
  return files.reduce((sum, { content }) => sum + content.length, 0);
}

/** By the bytes of their paths, which is one order everywhere. */
export function sorted<T extends { path: string }>(files: readonly T[]): T[] {
  return files.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

/**
 * `sha256:` and the SHA-256 of one line `<sha256 of the content>  <path>` per file, in the order of the paths' bytes: what
 * `find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum` answers in the skill's directory.
 */
export function digestOf(files: readonly BundleFile[]): string {
  const lines = sorted(files).map(({ path, content }) => `${sha256(content)}  ${path}\n`);
  return `sha256:${sha256(Buffer.from(lines.join('')))}`;
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The files without the one directory that all of them lie in, where there is one: archives are often made of a directory
 * rather than of what is in it.
 */
export function withoutTopDirectory<T extends { path: string }>(files: readonly T[]): T[] {
  const [first] = files;
  const top = first?.path.split('/', 1)[0] ?? '';
  const isShared = files.every(({ path }) => path.startsWith(`${top}/`));
  return isShared ? files.map((file) => ({ ...file, path: file.path.slice(top.length + 1) })) : [...files];
}
