/**
 * Characters that show nothing, or change the order in which others are shown: code with them is not what it looks like
 * (CVE-2021-42574). Those that join letters and emoji are not among them.
 */
const hidden = /[\u061c\u200b\u200e\u200f\u2060-\u2064\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Writes hidden characters in a way that a reader sees: `‹U+202E›`. */
export function visible(text: string): string {
  return text.replaceAll(
    hidden,
    (sign) => `‹U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
  );
}
