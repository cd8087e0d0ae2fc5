/** How many line breaks are in a part of a text. One loop: a text may be nothing but line breaks. */
export function lineBreaksIn(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === lineBreak) count += 1;
  return count;
}

/** Where a line begins, counted from 1; -1 when there are fewer. */
export function beginningOfLine(text: string, line: number): number {
  let left = line - 1;
  for (let at = 0; at < text.length; at += 1) {
    if (left === 0) return at;
    if (text.charCodeAt(at) === lineBreak) left -= 1;
  }
  return -1;
}

/** The first lines of a text that are not empty, and how many there are besides. */
export function firstLines(text: string, most: number): { lines: string[]; more: number } {
  const lines: string[] = [];
  let at = 0;
  while (at < text.length && lines.length < most) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    if (end > at) lines.push(text.slice(at, end));
    at = end + 1;
  }
  let more = 0;
  for (let before = lineBreak; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (before === lineBreak && letter !== lineBreak) more += 1;
    before = letter;
  }
  return { lines, more };
}

const lineBreak = 10;
