import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Tree, TreeFile } from '../../git/tree.ts';
import { digestOf, limits, sha256, type BundleFile, type Problem } from './bundle.ts';
import type { FileEntry } from './schemas.ts';

/** Where a repository's own skills lie: the open convention, and what Claude Code reads. */
export const skillDirectories = ['.agents/skills', '.claude/skills'] as const;

/** How many files below those directories are looked at, and how many directories with a SKILL.md. */
export const maxEntries = 5_000;
const maxSkills = 100;
/** Of all skills of a repository together. */
const maxBytes = 16_777_216;

/** A skill that a repository holds itself. */
export interface OwnSkill {
  /** From the top of the repository. */
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
  problem: Problem;
}

/** The skills of a commit, and what looks like one and is none. The same name in both places is the first place's. */
export async function ownSkills(tree: Tree): Promise<{ skills: OwnSkill[]; broken: BrokenSkill[] }> {
  // Half a MiB that most processes never use.
  const { inspect } = await import('./skill-file.ts');
  const skills = new Map<string, OwnSkill>();
  const broken: BrokenSkill[] = [];
  for (const { directory, refused, bundle } of await bundlesIn(tree)) {
    // Each can be made to take its time; others have their turn in between.
    await setImmediate();
    const { manifest, problems } = inspect(bundle);
    const [problem] = refused === undefined ? [...problems, ...misnamed(directory, manifest.name)] : [refused];
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

/** What is in those directories, read in one go; `refused` is why one is not. */
async function bundlesIn(tree: Tree) {
  let size = 0;
  const found = [...directoriesOf(tree)].slice(0, maxSkills).map(([directory, files]) => {
    const refused = problemOf(directory, files, maxBytes - size);
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

/** The directories that have a SKILL.md, in the order of the places. */
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

/** What is wrong before anything is read. */
function problemOf(directory: string, files: readonly TreeFile[], leftBytes: number): Problem | undefined {
  const other = files.find(({ kind }) => kind === 'link' || kind === 'submodule');
  if (other !== undefined)
    return { path: other.path.slice(directory.length + 1), line: 0, message: `This is a ${other.kind}.` };
  const size = sizeIn(files);
  if (files.length > limits.files || size > limits.totalBytes)
    return {
      path: '',
      line: 0,
      message: `It has ${files.length} files and ${size} bytes, which is more than a skill may.`,
    };
  if (size > leftBytes)
    return { path: '', line: 0, message: `The repository's skills have more than ${maxBytes} bytes together.` };
  return undefined;
}

function sizeIn(files: readonly TreeFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function misnamed(directory: string, name: string): Problem[] {
  const base = directory.slice(directory.lastIndexOf('/') + 1);
  return base === name
    ? []
    : [{ path: 'SKILL.md', line: 0, message: `\`name\` must be that of the directory, ${base}.` }];
}

/** The files of a directory as those of a bundle. */
export function bundleOf(directory: string, files: readonly TreeFile[], contents: readonly Buffer[]): BundleFile[] {
  const start = directory === '' ? 0 : directory.length + 1;
  return files.map(({ path, kind }, at) => ({
    path: path.slice(start),
    content: contents[at] ?? Buffer.alloc(0),
    executable: kind === 'executable',
  }));
}

/** What is on record of a bundle's files. */
export function entriesOf(files: readonly BundleFile[]): FileEntry[] {
  return files.map(({ path, content, executable }) => ({
    path,
    size_bytes: content.length,
    sha256: sha256(content),
    executable,
  }));
}

/**
 * The id of a repository's own skill: as long as the repository and the directory are the same, so is the id. It sorts
 * with the ids of all others by when the repository was made.
 */
export function ownSkillId(repositoryId: string, directory: string): string {
  const print = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return `skl_${repositoryId.replace(/^repo_/, '')}_${print}`;
}

/** The repository that an id of such a skill belongs to; undefined for any other id. */
export function repositoryIdOf(skillId: string): string | undefined {
  const found = /^skl_([0-9a-z]{26})_[0-9a-f]{16}$/.exec(skillId)?.[1];
  return found === undefined ? undefined : `repo_${found}`;
}
