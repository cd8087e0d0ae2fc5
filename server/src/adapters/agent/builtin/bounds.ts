/** Shortens a text to about `length` characters: its beginning and end, and the number of characters omitted between them. */
export function shortenMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  const left = text.length - 2 * half;
  return `${whole(text.slice(0, half))}\n[… ${formatNumber(left)} characters left out …]\n${whole(text.slice(-half))}`;
}

/** Returns the beginning of a text, at most `length` characters. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${whole(text.slice(0, length))}…`;
}

/** Joins a text into one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Formats a number as `1,234`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** Removes half a surrogate pair at either end. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
}
