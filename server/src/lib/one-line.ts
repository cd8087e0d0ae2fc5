/** A character that shows something; U+2800 is the empty Braille pattern. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u;

/** Returns true if a text shows nothing: it is empty, or has only white space and invisible characters. */
export function isBlank(text: string): boolean {
  return !visible.test(text);
}

/**
 * Makes a text safe for pages, mails and terminals: turns line breaks and tabs into spaces, removes other control characters
 * and those that change the text direction, and trims it. Returns `''` for a blank text.
 */
export function oneLine(text: string): string {
  if (isBlank(text)) return '';
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
