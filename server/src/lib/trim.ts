/** Removes one kind of trailing character. A regular expression would take quadratic time. */
export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** Removes one kind of character from both ends. */
export function trimOf(text: string, character: string): string {
  let start = 0;
  while (text[start] === character) start += 1;
  return trimEndOf(text.slice(start), character);
}
