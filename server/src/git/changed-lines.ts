import type { DiffFile } from './diff.ts';

/** Returns true if a diff changed one of a file's lines, or the whole file. `path` and lines are those before the change. */
export function changedLines(files: readonly DiffFile[], path: string, first: number, last: number): boolean {
  const file = files.find((one) => (one.old_path === '' ? one.path : one.old_path) === path);
  if (file === undefined) return false;
  if (file.patch === '') return file.status !== 'renamed';
  let line = 0;
  for (const row of file.patch.split('\n')) {
    const start = /^@@ -(\d+)/.exec(row)?.[1];
    if (start !== undefined) line = Number(start);
    else if (line > 0 && (row.startsWith('-') || row.startsWith(' '))) {
      if (row.startsWith('-') && line >= first && line <= last) return true;
      line += 1;
    }
  }
  return false;
}
