import { createHash } from 'node:crypto';

/** One file of a skill. */
export interface BundleFile {
  /** Relative to the skill's directory, with `/` between its parts. */
  path: string;
  content: Buffer;
  executable: boolean;
}

/** A problem in a bundle: its location, and how to fix it. */
export interface BundleIssue {
  /** `''` for the bundle as a whole. */
  file: string;
  /** Counted from 1; 0 if the issue has no line. */
  line: number;
  message: string;
}

export const limits = { files: 100, fileBytes: 262_144, totalBytes: 1_048_576 } as const;
export const maxPathLength = 255;

/** Path segments with a special meaning on every system. */
const reservedParts = new Set(['.', '..']);

/** Returns the reason why a path is invalid in a bundle; undefined for a valid one. */
export function problemOfPath(path: string): string | undefined {
  if (path === '') return 'A path must not be empty.';
  if (path.length > maxPathLength) return `A path can have at most ${maxPathLength} characters.`;
  if (!path.isWellFormed() || /\p{Control}/u.test(path)) return 'A path must not contain control characters.';
  if (path.includes('\\')) return 'Separate path segments with "/", not "\\".';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'A path must be relative to the skill.';
  const parts = path.split('/');
  if (parts.some((part) => reservedParts.has(part))) return 'A path must not contain "." or ".." segments.';
  if (parts.includes('')) return 'A path must not have empty segments.';
  if (parts.some((part) => part.toLowerCase() === '.git')) return 'A skill must not contain a .git directory.';
  return undefined;
}

/** Checks paths and sizes of files, independent of SKILL.md. */
export function issuesOfFiles(files: readonly BundleFile[]): BundleIssue[] {
  const issues: BundleIssue[] = [];
  const add = (file: string, message: string): void => void issues.push({ file, line: 0, message });
  if (files.length > limits.files)
    add('', `Limit exceeded: a skill can have at most ${limits.files} files, and this one has ${files.length}.`);
  const size = sizeOf(files);
  if (size > limits.totalBytes)
    add('', `Limit exceeded: a skill can have at most ${limits.totalBytes} bytes, and this one has ${size}.`);
  const named: BundleFile[] = [];
  for (const file of files) {
    const { path, content } = file;
    const problem = problemOfPath(path);
    if (problem === undefined) named.push(file);
    else add(path.slice(0, maxPathLength), problem);
    if (content.length > limits.fileBytes)
      add(
        path,
        `Limit exceeded: a file can have at most ${limits.fileBytes} bytes, and this one has ${content.length}.`,
      );
  }
  for (const { path, message } of collisions(named)) add(path, message);
  return issues;
}

/** Finds paths that are equal ignoring case and Unicode composition, and files that stand where a directory must be. */
function collisions(files: readonly BundleFile[]): { path: string; message: string }[] {
  const found: { path: string; message: string }[] = [];
  const byName = new Map<string, string>();
  for (const { path } of files) {
    const other = byName.get(folded(path));
    if (other === path) found.push({ path, message: 'The skill has two files with this path.' });
    else if (other !== undefined)
      found.push({ path, message: `This path equals ${other} on case-insensitive file systems. Rename one of them.` });
    byName.set(folded(path), path);
  }
  for (const { path } of files)
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      const above = byName.get(folded(path.slice(0, at)));
      if (above !== undefined) found.push({ path, message: `${above} is a file, so it cannot contain other files.` });
    }
  return found;
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

export function sizeOf(files: readonly { content: Buffer }[]): number {
  return files.reduce((sum, { content }) => sum + content.length, 0);
}

/** Sorts by the bytes of the paths, so that the order is the same everywhere. */
export function sorted<T extends { path: string }>(files: readonly T[]): T[] {
  return files.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

/**
 * `sha256:` and the SHA-256 of one line `<sha256 of the content>  <path>` per file, in the order of the paths' bytes: the output
 * of `find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum` in the skill's directory.
 */
export function digestOf(files: readonly BundleFile[]): string {
  const lines = sorted(files).map(({ path, content }) => `${sha256(content)}  ${path}\n`);
  return `sha256:${sha256(Buffer.from(lines.join('')))}`;
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Strips the directory that contains all files, if there is one: archives are often made of a directory rather than of its
 * content.
 */
export function withoutTopDirectory<T extends { path: string }>(files: readonly T[]): T[] {
  const [first] = files;
  const top = first?.path.split('/', 1)[0] ?? '';
  const isShared = files.every(({ path }) => path.startsWith(`${top}/`));
  return isShared ? files.map((file) => ({ ...file, path: file.path.slice(top.length + 1) })) : [...files];
}
