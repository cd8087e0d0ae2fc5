import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Tree, TreeFile } from '../../git/tree.ts';
import { digestOf, limits, sha256, type BundleFile, type BundleIssue } from './bundle.ts';
import type { FileEntry } from './schemas.ts';

/** Directories of a repository's own skills: the open convention, and the one of Claude Code. */
export const skillDirectories = ['.agents/skills', '.claude/skills'] as const;

/** Maximum number of files below those directories, and of directories with a SKILL.md. */
export const maxEntries = 5_000;
const maxSkills = 100;
/** Limit for all skills of a repository together. */
const maxBytes = 16_777_216;

/** A skill stored in a repository. */
export interface OwnSkill {
  /** Relative to the repository's root. */
  directory: string;
  name: string;
  description: string;
  license: string;
  metadata: Record<string, unknown>;
  digest: string;
  files: BundleFile[];
  entries: FileEntry[];
}

interface BrokenSkill {
  directory: string;
  problem: BundleIssue;
}

/**
 * Returns the skills of a commit, and the invalid ones. If both directories have a skill of the same name, the first directory's
 * wins.
 */
export async function ownSkills(tree: Tree): Promise<{ skills: OwnSkill[]; broken: BrokenSkill[] }> {
  // Loaded lazily: half a MiB that most processes never use.
  const { inspect } = await import('./skill-file.ts');
  const skills = new Map<string, OwnSkill>();
  const broken: BrokenSkill[] = [];
  for (const { directory, refused, bundle } of await bundlesIn(tree)) {
    // Parsing a hostile file can take long; other work runs in between.
    await setImmediate();
    const { manifest, issues } = inspect(bundle);
    const [problem] = refused === undefined ? [...issues, ...misnamed(directory, manifest.name)] : [refused];
    if (problem !== undefined) {
      broken.push({ directory, problem });
      continue;
    }
    const { name, description, license, metadata } = manifest;
    if (skills.has(name)) continue;
    const facts = { directory, name, description, license, metadata };
    skills.set(name, { ...facts, digest: digestOf(bundle), files: bundle, entries: entriesOf(bundle) });
  }
  return { skills: [...skills.values()], broken };
}

/** Reads those directories in one pass; `refused` is the reason why one is skipped. */
async function bundlesIn(tree: Tree) {
  let size = 0;
  const found = [...directoriesOf(tree)].slice(0, maxSkills).map(([directory, files]) => {
    const refused = directoryProblem(directory, files, maxBytes - size);
    if (refused === undefined) size += sizeIn(files);
    return { directory, refused, files: refused === undefined ? files : [] };
  });
  const contents = await tree.read(
    found.flatMap(({ files }) => files),
    maxBytes,
  );
  let at = 0;
  return found.map(({ directory, refused, files }) => {
    at += files.length;
    return { directory, refused, bundle: bundleOf(directory, files, contents.slice(at - files.length, at)) };
  });
}

/** Returns the directories that contain a SKILL.md, in order of precedence. */
function directoriesOf({ files }: Tree): Map<string, TreeFile[]> {
  const found = new Map<string, TreeFile[]>();
  for (const place of skillDirectories)
    for (const file of files) {
      if (!file.path.startsWith(`${place}/`)) continue;
      const [name = '', ...rest] = file.path.slice(place.length + 1).split('/');
      if (rest.length === 0) continue;
      const directory = `${place}/${name}`;
      found.set(directory, [...(found.get(directory) ?? []), file]);
    }
  for (const [directory, held] of found)
    if (!held.some(({ path }) => path === `${directory}/SKILL.md`)) found.delete(directory);
  return found;
}

/** Returns the problem that can be found without reading content. */
function directoryProblem(directory: string, files: readonly TreeFile[], leftBytes: number): BundleIssue | undefined {
  const other = files.find(({ kind }) => kind === 'link' || kind === 'submodule');
  if (other !== undefined)
    return {
      file: other.path.slice(directory.length + 1),
      line: 0,
      message: `This is a ${other.kind}; a skill can only contain regular files.`,
    };
  const size = sizeIn(files);
  if (files.length > limits.files || size > limits.totalBytes)
    return {
      file: '',
      line: 0,
      message: `Limit exceeded: it has ${files.length} files and ${size} bytes.`,
    };
  if (size > leftBytes)
    return {
      file: '',
      line: 0,
      message: `Limit exceeded: the skills of a repository can have at most ${maxBytes} bytes together.`,
    };
  return undefined;
}

function sizeIn(files: readonly TreeFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function misnamed(directory: string, name: string): BundleIssue[] {
  const base = directory.slice(directory.lastIndexOf('/') + 1);
  return base === name
    ? []
    : [{ file: 'SKILL.md', line: 0, message: `\`name\` must equal the directory's name, ${base}.` }];
}

/** Converts the files of a directory to those of a bundle. */
export function bundleOf(directory: string, files: readonly TreeFile[], contents: readonly Buffer[]): BundleFile[] {
  const start = directory === '' ? 0 : directory.length + 1;
  return files.map(({ path, kind }, at) => ({
    path: path.slice(start),
    content: contents[at] ?? Buffer.alloc(0),
    executable: kind === 'executable',
  }));
}

/** Returns the file list of a bundle. */
export function entriesOf(files: readonly BundleFile[]): FileEntry[] {
  return files.map(({ path, content, executable }) => ({
    path,
    size_bytes: content.length,
    sha256: sha256(content),
    executable,
  }));
}

/**
 * The id of a repository's own skill: stable for the same repository and directory, and sorted by the repository's creation
 * time.
 */
export function ownSkillId(repositoryId: string, directory: string): string {
  const print = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return `skl_${repositoryId.replace(/^repo_/, '')}_${print}`;
}

/** Returns the repository id in a repository skill's id; undefined for any other id. */
export function repositoryIdOf(skillId: string): string | undefined {
  const found = /^skl_([0-9a-z]{26})_[0-9a-f]{16}$/.exec(skillId)?.[1];
  return found === undefined ? undefined : `repo_${found}`;
}
