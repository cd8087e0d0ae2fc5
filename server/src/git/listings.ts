import { isUtf8 } from 'node:buffer';
import type { Branch } from './bare.ts';
import { isBranchName, requireObjectId } from './names.ts';
import { gitFailure, spawnGit } from './native.ts';

/** Part of a list, and the number of all entries that match. */
export interface Found<T> {
  items: T[];
  isMore: boolean;
  total: number;
}

/** The place of a path among those that match: file names that match come before directories that do. */
export interface PathPlace {
  readonly rank: 0 | 1;
  /** The number of the path in the commit. */
  readonly index: number;
}

/** Trees within trees can name more paths than fit anywhere; a listing reads no more than this. */
const mostRecords = 1_000_000;
const mostBytes = 512 * 1024 ** 2;
/** No file system has longer paths. */
const longestRecord = 8_192;
const timeoutMs = 30_000;
const limits = { memoryBytes: 1024 ** 3, cpuSeconds: 30 };

/** Lists branches by name, those that contain `search`, case-insensitively; `after` is the last name of the page before. */
export async function findBranches(
  gitDir: string,
  { search, after = '', limit }: { search: string; after?: string | undefined; limit: number },
): Promise<Found<Branch>> {
  const isMatch = containing(search);
  const behind = Buffer.from(after);
  const items: Branch[] = [];
  let left = 0;
  let total = 0;
  const args = ['for-each-ref', '--format=%(objectname) %(refname:lstrip=2)', '--end-of-options', 'refs/heads/'];
  for await (const records of recordsOf(args, gitDir, '\n'))
    for (const record of records) {
      const bytes = record.subarray(record.indexOf(' ') + 1);
      const name = bytes.toString('utf8');
      if (!isUtf8(bytes) || !isBranchName(name) || !isMatch(name)) continue;
      total += 1;
      if (bytes.compare(behind) <= 0) continue;
      if (items.length < limit) items.push({ name, sha: record.toString('latin1', 0, record.indexOf(' ')) });
      else left += 1;
    }
  return { items, isMore: left > 0, total };
}

/**
 * Lists the paths of a commit's files that contain `search`, case-insensitively. Without it in the order of git, else first
 * those whose file name contains it. Ignores paths that are not UTF-8.
 */
export async function findPaths(
  gitDir: string,
  commit: string,
  { search, after, limit }: { search: string; after?: PathPlace | undefined; limit: number },
): Promise<Found<{ path: string; place: PathPlace }>> {
  const isMatch = containing(search);
  const pages = [0, 1].map((): { path: string; place: PathPlace }[] => []);
  let index = -1;
  let total = 0;
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', requireObjectId(commit)];
  for await (const records of recordsOf(args, gitDir, '\0'))
    for (const record of records) {
      index += 1;
      const path = record.toString('utf8');
      if (!isUtf8(record) || !isMatch(path)) continue;
      total += 1;
      const rank = isMatch(path.slice(path.lastIndexOf('/') + 1)) ? 0 : 1;
      const page = pages[rank] ?? [];
      const place: PathPlace = { rank, index };
      if (page.length <= limit && (after === undefined || isBehind(place, after))) page.push({ path, place });
    }
  const found = pages.flat();
  return { items: found.slice(0, limit), isMore: found.length > limit, total };
}

function isBehind(place: PathPlace, after: PathPlace): boolean {
  return place.rank === after.rank ? place.index > after.index : place.rank > after.rank;
}

function containing(search: string): (text: string) => boolean {
  const wanted = search.toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}

/**
 * Runs git and returns the records of its output as they come, so that neither memory nor the event loop holds all of them.
 * Stops git at the limits, and leaves out records that are too long.
 */
export async function* recordsOf(
  args: readonly string[],
  gitDir: string,
  separator: string,
  okExitCodes: readonly number[] = [0],
): AsyncGenerator<Buffer[]> {
  const stopping = new AbortController();
  const git = spawnGit(args, { gitDir, timeoutMs, limits, signal: stopping.signal });
  git.stdin.end();
  let stderr = '';
  git.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < 4_096) stderr += chunk.toString('utf8');
  });
  let rest = Buffer.alloc(0);
  let [count, bytes] = [0, 0];
  try {
    for await (const chunk of git.stdout) {
      const [records, open] = split(Buffer.concat([rest, chunk]), separator);
      // What is beyond any path is cut, and so too long when it ends.
      rest = open.subarray(0, longestRecord + 1);
      count += records.length;
      bytes += Buffer.byteLength(chunk);
      yield records.filter(({ length }) => length <= longestRecord);
      if (count >= mostRecords || bytes >= mostBytes) return;
    }
    const { exitCode, problem } = await git.ended;
    if (exitCode === undefined || !okExitCodes.includes(exitCode))
      throw gitFailure(args[0] ?? '', exitCode ?? -1, stderr || `it was stopped (${problem})`);
  } finally {
    stopping.abort();
    await git.ended;
  }
}

function split(bytes: Buffer, separator: string): [records: Buffer[], open: Buffer<ArrayBuffer>] {
  const records: Buffer[] = [];
  let at = 0;
  for (let end = bytes.indexOf(separator); end >= 0; end = bytes.indexOf(separator, at)) {
    records.push(bytes.subarray(at, end));
    at = end + 1;
  }
  return [records, Buffer.from(bytes.subarray(at))];
}
