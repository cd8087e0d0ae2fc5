/**
 * Makes a text safe for pages, mails and terminals: turns line breaks and tabs into spaces, removes other control characters
 * and those that change the text direction, and trims it.
 */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\t-\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim();
}

/** Like {@link oneLine} for each line of a text, but without trimming: for terminals. */
export function plainLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '');
}
