import type { DiffFile } from '../../git/diff.ts';

/** The new side of one file's diff. */
export interface FileLines {
  /** Text by line number: the lines that changed and those around them. */
  readonly text: ReadonlyMap<number, string>;
  /** Lines that the change added or changed. */
  readonly added: ReadonlySet<number>;
  /** The file's path before a rename, else its path. */
  readonly oldPath: string;
}

/** Reads the new side of a unified diff, by path. */
export function linesOf(files: readonly DiffFile[]): Map<string, FileLines> {
  return new Map(files.map((file) => [file.path, readPatch(file)]));
}

function readPatch({ patch, path, old_path }: DiffFile): FileLines {
  const text = new Map<number, string>();
  const added = new Set<number>();
  let line = 0;
  for (const row of patch.split('\n')) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row)?.[1];
    if (start !== undefined) line = Number(start);
    else if (line > 0 && (row.startsWith('+') || row.startsWith(' '))) {
      text.set(line, row.slice(1));
      if (row.startsWith('+')) added.add(line);
      line += 1;
    }
  }
  return { text, added, oldPath: old_path === '' ? path : old_path };
}
