const mostLength = 2_000;

/**
 * Makes a server's text safe for an error message: short, without terminal control characters and characters that
 * change the text direction.
 */
export function plain(text: string): string {
  const shown = text
    .slice(0, mostLength)
    .replaceAll(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  return text.length > mostLength ? `${shown}…` : shown;
}
