import { isUtf8 } from 'node:buffer';
import { recordsOf } from './listings.ts';
import { isObjectId, requireObjectId } from './names.ts';

export interface RecentCommit {
  sha: string;
  /** `2026-11-26`. */
  date: string;
  subject: string;
  /** Changed files; none of a commit that changes more than 300. */
  paths: string[];
}

const mostPaths = 300;
const longestSubject = 500;
const mark = 1;

/** Lists a commit and those before it, without merges, newest first. Throws git's failure, also after 30 s. */
export async function* recentCommits(gitDir: string, commit: string, most: number): AsyncGenerator<RecentCommit[]> {
  const args = [
    'log',
    `--max-count=${most}`,
    '--no-merges',
    '--no-renames',
    '--name-only',
    '-z',
    '--format=%x01%H %cs %s',
    '--end-of-options',
    requireObjectId(commit),
  ];
  let open: RecentCommit | undefined;
  let isLarge = false;
  for await (const records of recordsOf(args, gitDir, '\0')) {
    const done: RecentCommit[] = [];
    for (const record of records) {
      const begin = record[0] === 10 ? 1 : 0;
      if (record[begin] === mark) {
        if (open !== undefined) done.push(open);
        open = headOf(record.toString('utf8', begin + 1));
        isLarge = false;
      } else if (open !== undefined && record.length > begin && !isLarge) {
        const path = record.subarray(begin);
        if (isUtf8(path)) open.paths.push(path.toString('utf8'));
        if (open.paths.length <= mostPaths) continue;
        // It says nothing about any of them.
        isLarge = true;
        open.paths = [];
      }
    }
    if (done.length > 0) yield done;
  }
  if (open !== undefined) yield [open];
}

function headOf(text: string): RecentCommit | undefined {
  const [sha = '', date = ''] = text.slice(0, 60).split(' ');
  const subject = text
    .slice(sha.length + date.length + 2, sha.length + date.length + 2 + longestSubject)
    .toWellFormed();
  return isObjectId(sha) ? { sha, date, subject, paths: [] } : undefined;
}
