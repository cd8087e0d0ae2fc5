import { parseDiffFromFile, parsePatchFiles, type FileDiffMetadata } from '@pierre/diffs';

/** The effort of a comparison grows with the square of what differs; above this, everything counts as replaced. */
const mostDifferences = 2_000;

/** Returns the difference of two texts, line by line, in bounded time. */
export function compare(name: string, { before, after }: { before: string; after: string }): FileDiffMetadata {
  try {
    const options = { maxEditLength: mostDifferences, disableLineMatching: true };
    return parseDiffFromFile({ name, contents: before }, { name, contents: after }, options, true);
  } catch {
    return replaced(name, before, after);
  }
}

function replaced(name: string, before: string, after: string): FileDiffMetadata {
  const [old, next] = [linesOf(before), linesOf(after)];
  const head = `--- ${name}\n+++ ${name}\n@@ -1,${old.length} +1,${next.length} @@\n`;
  const body = [...old.map((line) => `-${line}\n`), ...next.map((line) => `+${line}\n`)].join('');
  const [file] = parsePatchFiles(head + body, { disableLineMatching: true }).flatMap(({ files }) => files);
  if (file === undefined) throw new Error('The texts cannot be compared.');
  return file;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
