/** A text without the characters of this one kind that it ends with. An expression would look again from each of them. */
export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** A text without the characters of this one kind around it. */
export function trimOf(text: string, character: string): string {
  let start = 0;
  while (text[start] === character) start += 1;
  return trimEndOf(text.slice(start), character);
}
