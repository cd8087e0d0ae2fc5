/** Quotes `text` as one word of a POSIX shell. */
export function shellWord(text: string): string {
  if (text.includes('\0')) throw new TypeError('a shell word cannot contain U+0000');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
