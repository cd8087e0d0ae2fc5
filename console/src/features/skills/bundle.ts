import type { Schemas } from '../../lib/api.ts';
import type { SkillFile, SkillUpload } from './queries.ts';

type Entry = Schemas['SkillDetail']['files'][number];

/** Returns files as they are sent, with one of them replaced or added. */
export function withFile(files: readonly SkillFile[], changed: SkillUpload): SkillUpload[] {
  const others = files.filter(({ path }) => path !== changed.path).map(uploadOf);
  return [...others, changed];
}

export function uploadOf({ path, content, encoding, executable }: SkillFile): SkillUpload {
  return { path, content, encoding, executable };
}

/** What a revision did to a file. */
export interface FileChange {
  path: string;
  change: 'added' | 'changed' | 'removed';
}

/** Returns what differs between the files of two revisions, by path. */
export function changesOf(before: readonly Entry[], after: readonly Entry[]): FileChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Set(after.map(({ path }) => path));
  const removed = before.filter(({ path }) => !now.has(path)).map(({ path }) => ({ path, change: 'removed' as const }));
  const others = after.flatMap((file): FileChange[] => {
    const was = old.get(file.path);
    if (was === undefined) return [{ path: file.path, change: 'added' }];
    const isSame = was.sha256 === file.sha256 && was.executable === file.executable;
    return isSame ? [] : [{ path: file.path, change: 'changed' }];
  });
  return [...removed, ...others].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns where a line of a text begins and ends; lines count from 1. */
export function rangeOfLine(text: string, line: number): { start: number; end: number } {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    const next = text.indexOf('\n', start);
    if (next === -1) break;
    start = next + 1;
  }
  const end = text.indexOf('\n', start);
  return { start, end: end === -1 ? text.length : end };
}
