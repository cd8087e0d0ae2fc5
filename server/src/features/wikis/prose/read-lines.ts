import { listBlobs, sizesOf, type PlacedBlob } from '../../../git/blobs.ts';
import { readBlobs } from '../../../git/tree.ts';

const mostFiles = 300;
const largestFile = 512 * 1024;
const mostBytes = 8 * 1024 ** 2;

/** Reads the lines of text files of a commit, at most 300 files and 8 MiB; leaves out others, and those over 512 KiB. */
export async function readLines(
  directory: string,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, string[]>> {
  const wanted = new Set(paths.slice(0, mostFiles));
  const found: PlacedBlob[] = [];
  for await (const list of listBlobs(directory, commit)) found.push(...list.filter(({ path }) => wanted.has(path)));
  const sizes = await sizesOf(
    directory,
    found.map(({ id }) => id),
  );
  const read = new Map<string, string[]>();
  let bytes = 0;
  for (const [index, file] of found.entries()) {
    const size = sizes[index] ?? Infinity;
    if (size > largestFile || bytes + size > mostBytes) continue;
    bytes += size;
    const [content] = await readBlobs(directory, [file], largestFile);
    if (content === undefined || content.includes(0)) continue;
    const lines = content.toString('utf8').split('\n');
    read.set(file.path, lines.at(-1) === '' ? lines.slice(0, -1) : lines);
  }
  return read;
}
