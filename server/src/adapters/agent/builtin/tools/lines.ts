import { pace } from '../../../../lib/pace.ts';

/** Characters processed before yielding to other work. */
const pieceLength = 1_048_576;
const lineBreak = 10;

/** Counts the line breaks in a part of a text. Yields in between. */
export async function countLineBreaks(text: string, from = 0, to = text.length): Promise<number> {
  let count = 0;
  for (let at = from; at < to; at += pieceLength) {
    await pace();
    count += lineBreaksIn(text, at, Math.min(at + pieceLength, to));
  }
  return count;
}

/** A single loop: a text may consist of line breaks. */
function lineBreaksIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === lineBreak) count += 1;
  return count;
}

/** Returns the start of a line (counted from 1; -1 if missing) and the number of lines. Yields in between. */
export async function findLine(text: string, line: number): Promise<{ at: number; lines: number }> {
  let breaks = 0;
  let at = line === 1 ? 0 : -1;
  for (let from = 0; from < text.length; from += pieceLength) {
    await pace();
    const to = Math.min(from + pieceLength, text.length);
    const inPiece = lineBreaksIn(text, from, to);
    if (at < 0 && breaks + inPiece >= line - 1) at = afterBreak(text, from, line - 1 - breaks);
    breaks += inPiece;
  }
  return { at, lines: breaks + (text.endsWith('\n') ? 0 : 1) };
}

/** Returns the position after `count` line breaks. */
function afterBreak(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0; at += 1) if (text.charCodeAt(at) === lineBreak) left -= 1;
  return at;
}

/** Returns the first non-empty lines of a text, and the number of further ones. Yields in between. */
export async function firstLines(text: string, most: number): Promise<{ lines: string[]; more: number }> {
  const lines: string[] = [];
  let more = 0;
  // Start of the current line; -1 between lines.
  let begin = -1;
  for (let from = 0; from < text.length; from += pieceLength) {
    await pace();
    const to = Math.min(from + pieceLength, text.length);
    for (let at = from; at < to; at += 1) {
      if (text.charCodeAt(at) !== lineBreak) {
        if (begin < 0) begin = at;
      } else if (begin >= 0) {
        if (lines.length < most) lines.push(text.slice(begin, at));
        else more += 1;
        begin = -1;
      }
    }
  }
  if (begin >= 0 && lines.length < most) lines.push(text.slice(begin));
  else if (begin >= 0) more += 1;
  return { lines, more };
}
