/**
 * A text as what stands in pages, mails and terminals: line breaks and tabs become spaces; other control characters, which
 * a terminal obeys, and those that turn the direction of text, by which it reads as another, are left out; trimmed.
 */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\t-\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim();
}

/** A text of several lines, each as {@link oneLine} would have it, but for the spaces around it: for terminals. */
export function plainLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '');
}
