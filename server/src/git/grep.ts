import { isUtf8 } from 'node:buffer';
import { recordsOf } from './listings.ts';
import { requireObjectId } from './names.ts';

export interface FoundLine {
  path: string;
  /** From 1. */
  line: number;
  /** At most 400 characters, around the first match. */
  text: string;
}

const longestText = 400;
const mostPerFile = 20;
/** The maximum number of line breaks in a path; lines of other files are left out. */
const mostBreaks = 100;

/**
 * Finds lines of a commit's text files that contain `text`: at most `limit`, and 20 of a file, in the order of paths. Upper and
 * lower case differ only if `text` has an upper-case letter. Leaves out lines of more than 8,192 bytes. Throws git's failure, also
 * after 30 s.
 */
export async function grep(
  gitDir: string,
  commit: string,
  text: string,
  limit: number,
): Promise<{ items: FoundLine[]; isMore: boolean }> {
  const isExact = text !== text.toLowerCase();
  const flags = ['-I', '-n', '-z', '-F', '--no-color', '--full-name', '--threads=1', `--max-count=${mostPerFile}`];
  const args = ['grep', ...flags, ...(isExact ? [] : ['-i']), '-e', text, requireObjectId(commit), '--'];
  const join = createJoiner(`${commit}:`);
  const items: FoundLine[] = [];
  // git exits with 1 if nothing matches.
  for await (const records of recordsOf(args, gitDir, '\n', [0, 1]))
    for (const record of records) {
      const whole = join(record);
      const found = whole === undefined ? undefined : toLine(whole, commit.length + 1, text);
      if (found === undefined) continue;
      if (items.length === limit) return { items, isMore: true };
      items.push(found);
    }
  return { items, isMore: false };
}

/** Joins records that line breaks in a path have cut: every whole one begins with `start` and has a NUL. */
function createJoiner(start: string): (record: Buffer) => Buffer | undefined {
  const prefix = Buffer.from(start);
  let parts: Buffer[] = [];
  return (record) => {
    if (record.subarray(0, prefix.length).equals(prefix)) parts = [];
    else if (parts.length === 0) return undefined;
    if (parts.length <= mostBreaks) parts.push(record);
    if (!record.includes(0)) return undefined;
    const whole = parts.length > mostBreaks ? undefined : joined(parts);
    parts = [];
    return whole;
  };
}

function joined([first = Buffer.alloc(0), ...rest]: readonly Buffer[]): Buffer {
  return Buffer.concat([first, ...rest.flatMap((part) => [Buffer.from('\n'), part])]);
}

/** Reads `<commit>:<path>` NUL `<line>` NUL `<text>`. */
function toLine(record: Buffer, at: number, wanted: string): FoundLine | undefined {
  const pathEnd = record.indexOf(0);
  const lineEnd = record.indexOf(0, pathEnd + 1);
  const path = record.subarray(at, pathEnd);
  const line = Number(record.toString('latin1', pathEnd + 1, lineEnd));
  if (pathEnd < at || lineEnd < 0 || !Number.isInteger(line) || line < 1 || !isUtf8(path)) return undefined;
  return { path: path.toString('utf8'), line, text: around(record.toString('utf8', lineEnd + 1), wanted) };
}

function around(line: string, wanted: string): string {
  const text = line.trim();
  if (text.length <= longestText) return text;
  const from = Math.max(0, text.toLowerCase().indexOf(wanted.toLowerCase()) - longestText / 4);
  return text.slice(from, from + longestText).toWellFormed();
}
