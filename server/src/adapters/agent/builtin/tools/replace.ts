import { pace } from '../../../../lib/pace.ts';
import { countLineBreaks } from './lines.ts';

/** Matches processed before yielding to other work. */
const placesAtOnce = 10_000;

/** Counts the matches of a part in a text. */
export async function countMatches(text: string, part: string): Promise<number> {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    if (count % placesAtOnce === 0) await pace();
    count += 1;
  }
  return count;
}

/** Returns the line numbers of the first `most` matches, in a single pass. */
export async function matchLines(text: string, part: string, most: number): Promise<number[]> {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(part); at >= 0 && lines.length < most; at = text.indexOf(part, at + part.length)) {
    line += await countLineBreaks(text, counted, at);
    counted = at;
    lines.push(line);
  }
  return lines;
}

/** Replaces every match of a part in a text. */
export async function replaceAll(text: string, part: string, by: string): Promise<string> {
  const pieces: string[] = [];
  for (let at = 0; at >= 0;) {
    await pace();
    const between: string[] = [];
    while (at >= 0 && between.length < placesAtOnce) {
      const found = text.indexOf(part, at);
      between.push(found < 0 ? text.slice(at) : text.slice(at, found));
      at = found < 0 ? -1 : found + part.length;
    }
    pieces.push(between.join(by));
  }
  return pieces.join(by);
}
