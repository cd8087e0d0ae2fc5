/** Returns true if a pattern matches the text. Case-sensitive; `*` matches any characters, including none. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matches(pattern.split('*'), text));
}

/** Like {@link matchesAny}, for many texts. */
export function matcherOf(patterns: readonly string[]): (text: string) => boolean {
  const split = patterns.map((pattern) => pattern.split('*'));
  return (text) => split.some((parts) => matches(parts, text));
}

/** Without backtracking, as patterns are untrusted: finds the parts one after another. */
function matches(parts: readonly string[], text: string): boolean {
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (parts.length < 2) return first === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
