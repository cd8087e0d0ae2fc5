import { createHash } from 'node:crypto';
import type { Tree, TreeFile } from '../../adapters/git/tree.ts';
import { limits, sha256, type BundleFile, type Problem } from './bundle.ts';
import type { FileEntry } from './schemas.ts';

/** Where a repository's own skills lie: the open convention, and what Claude Code reads. */
export const skillDirectories = ['.agents/skills', '.claude/skills'] as const;

/** How many files below those directories are looked at, and how many skills are taken. */
export const maxEntries = 5_000;
const maxSkills = 100;

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
  const { inspect, summaryOf } = await import('./skill-file.ts');
  const skills = new Map<string, OwnSkill>();
  const broken: BrokenSkill[] = [];
  for (const [directory, files] of directoriesOf(tree)) {
    if (skills.size === maxSkills) break;
    const refused = problemOf(directory, files);
    const bundle = refused === undefined ? await readBundle(tree, directory, files) : [];
    const { manifest, problems } = inspect(bundle);
    const [problem] = refused === undefined ? [...problems, ...misnamed(directory, manifest.name)] : [refused];
    if (problem !== undefined) {
      broken.push({ directory, problem });
      continue;
    }
    const { name, description, license, metadata } = manifest;
    if (skills.has(name)) continue;
    const { digest } = summaryOf(bundle);
    skills.set(name, {
      directory,
      name,
      description,
      license,
      metadata,
      digest,
      files: bundle,
      entries: entriesOf(bundle),
    });
  }
  return { skills: [...skills.values()], broken };
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
function problemOf(directory: string, files: readonly TreeFile[]): Problem | undefined {
  const other = files.find(({ kind }) => kind === 'link' || kind === 'submodule');
  if (other !== undefined)
    return { path: other.path.slice(directory.length + 1), line: 0, message: `This is a ${other.kind}.` };
  const size = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (files.length > limits.files || size > limits.totalBytes)
    return {
      path: '',
      line: 0,
      message: `It has ${files.length} files and ${size} bytes, which is more than a skill may.`,
    };
  return undefined;
}

function misnamed(directory: string, name: string): Problem[] {
  const base = directory.slice(directory.lastIndexOf('/') + 1);
  return base === name
    ? []
    : [{ path: 'SKILL.md', line: 0, message: `\`name\` must be that of the directory, ${base}.` }];
}

/** The files of a directory as those of a bundle. */
export async function readBundle(tree: Tree, directory: string, files: readonly TreeFile[]): Promise<BundleFile[]> {
  const start = directory === '' ? 0 : directory.length + 1;
  const contents = await tree.read(files, limits.totalBytes);
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
