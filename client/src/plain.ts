const mostLength = 2_000;

/**
 * What a server says, as it may stand in an error's message: short, and without what a terminal would obey or what turns
 * the direction of text.
 */
export function plain(text: string): string {
  const shown = text
    .slice(0, mostLength)
    .replaceAll(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  return text.length > mostLength ? `${shown}…` : shown;
}
