/** Cuts a text to a length in UTF-16 code units, never inside a character. */
export function cutTo(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** Joins a text into one line of at most 300 characters. */
export function oneLine(text: string): string {
  return cutTo(text.replaceAll(/\s+/g, ' ').trim(), 300);
}
