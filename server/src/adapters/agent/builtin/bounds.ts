/** A text of at most about `length` characters: its beginning and its end, and between them how much was left out. */
export function outlined(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  const left = text.length - 2 * half;
  return `${whole(text.slice(0, half))}\n[… ${count(left)} characters left out …]\n${whole(text.slice(-half))}`;
}

/** The beginning of a text, at most `length` characters of it. */
export function beginningOf(text: string, length: number): string {
  return text.length <= length ? text : `${whole(text.slice(0, length))}…`;
}

/** One paragraph. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A number as people read it: `1,234`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** A text without half of a surrogate pair at its ends. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
}
