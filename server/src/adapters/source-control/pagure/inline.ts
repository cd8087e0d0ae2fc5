import { isObjectId } from '../../../git/names.ts';
import { git } from '../../../git/native.ts';

/** A place in Pagure's diff of a file: the file's blob, and the row among the diff's headers and lines, from 1. */
export interface Row {
  readonly path: string;
  /** Of clients that know only commits, the commit; the row is then the line. */
  readonly commit: string;
  readonly row: number;
}

/** A line of a file. */
export interface Line {
  readonly side: 'old' | 'new';
  /** Null if it is gone. */
  readonly line: number | null;
  readonly isOutdated: boolean;
}

/** The lines that a row of a diff shows, before and after; a header shows none. */
interface Shown {
  readonly old: number | undefined;
  readonly new: number | undefined;
}

/** Translates between rows of Pagure's diffs and lines of files, in a copy of the repository. */
export interface DiffRows {
  /** Undefined if the diff does not show the line. */
  rowOf(at: { path: string; side: 'old' | 'new'; line: number }): Promise<Row | undefined>;
  lineAt(row: Row): Promise<Line>;
}

const maxBuffer = 16 * 1_024 ** 2;
const gone: Line = { side: 'new', line: null, isOutdated: true };

/** Reads the diff from the merge base of two commits to the second one, `head`. */
export async function openDiffRows(gitDir: string, base: string, head: string): Promise<DiffRows> {
  const run = async (...args: string[]): Promise<string | undefined> => {
    const options = { gitDir, maxBuffer, okExitCodes: [0, 1, 128] };
    const { exitCode, stdout } = await git(['--literal-pathspecs', ...args], options);
    return exitCode === 0 ? stdout : undefined;
  };
  const idOf = async (...args: string[]) => {
    const id = (await run(...args))?.trim() ?? '';
    return isObjectId(id) ? id : undefined;
  };
  const blobAt = (commit: string, path: string) => idOf('rev-parse', '--verify', '-q', `${commit}:${path}`);
  // As Pagure compares: by file name, with three lines around a change.
  const compare = (...args: string[]) => run('diff', '--no-renames', '--no-indent-heuristic', ...args);
  const from = (await idOf('merge-base', base, head)) ?? base;

  /** Returns what the rows of the diff of a file's blob showed. */
  async function shownAt(path: string, blob: string, row: number): Promise<Shown | undefined> {
    const before = await blobAt(from, path);
    // A new file has one header.
    if (before === undefined) return row < 2 ? undefined : { old: undefined, new: row - 1 };
    return rowsOf((await compare('-U3', before, blob)) ?? '')[row - 1];
  }

  return {
    async rowOf({ path, side, line }) {
      const blob = await blobAt(head, path);
      const rows = rowsOf((await compare('-U3', from, head, '--', path)) ?? '');
      const at = rows.findIndex((shown) => shown[side] === line);
      return blob === undefined || at < 0 ? undefined : { path, commit: blob, row: at + 1 };
    },
    async lineAt({ path, commit, row }) {
      const type = isObjectId(commit) ? (await run('cat-file', '-t', commit))?.trim() : undefined;
      const blob = type === 'commit' ? await blobAt(commit, path) : commit;
      const current = await blobAt(head, path);
      if (type === undefined || blob === undefined || current === undefined) return gone;
      const shown = type === 'commit' ? { old: undefined, new: row } : await shownAt(path, blob, row);
      const isSame = blob === current;
      if (shown?.new === undefined) return { side: 'old', line: shown?.old ?? null, isOutdated: !isSame };
      if (isSame) return { side: 'new', line: shown.new, isOutdated: false };
      const patch = await compare('-U0', blob, current);
      return patch === undefined ? gone : follow(patch, shown.new);
    },
  };
}

/** Returns what each row of a file's diff shows. */
export function rowsOf(patch: string): Shown[] {
  const rows: Shown[] = [];
  let [before, after] = [0, 0];
  for (const text of patch.slice(patch.search(/^@@ /m)).split('\n')) {
    const [, old, fresh] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text) ?? [];
    if (old !== undefined) {
      [before, after] = [Number(old), Number(fresh)];
      rows.push({ old: undefined, new: undefined });
    } else if (text.startsWith('+')) rows.push({ old: undefined, new: after++ });
    else if (text.startsWith('-')) rows.push({ old: before++, new: undefined });
    else if (text.startsWith(' ')) rows.push({ old: before++, new: after++ });
    // Pagure writes the mark of a missing line break as two rows.
    else if (text.startsWith('\\')) rows.push({ old: undefined, new: undefined }, { old: undefined, new: undefined });
  }
  return rows;
}

/** Returns where a line is after changes, by a diff without context. */
function follow(patch: string, line: number): Line {
  let shift = 0;
  for (const [, from, count = '1', , added = '1'] of patch.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)) {
    const [first, size] = [Number(from), Number(count)];
    if (line >= first && line < first + size) return gone;
    if (first + (size === 0 ? 1 : 0) <= line) shift += Number(added) - size;
  }
  return { side: 'new', line: line + shift, isOutdated: false };
}
