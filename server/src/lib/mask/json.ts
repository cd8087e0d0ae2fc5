/**
 * A value as JSON takes it, with every string in it masked, names of fields too. `words` alone in a string are left: those
 * that mean something where they stand, whoever may have chosen one for a secret.
 */
export function maskedJson<T>(value: T, mask: (text: string) => string, words: ReadonlySet<string> = noWords): T {
  return JSON.parse(JSON.stringify(value), (_name, part: unknown) => {
    if (typeof part === 'string') return words.has(part) ? part : mask(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const names = Object.keys(part);
    if (names.every((name) => maskedName(name, mask) === name)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, content]) => [maskedName(name, mask), content]));
  });
}

const noWords: ReadonlySet<string> = new Set();

/** The names of the platform's own fields are such words. */
function maskedName(name: string, mask: (text: string) => string): string {
  return /^[A-Za-z_]+$/.test(name) ? name : mask(name);
}
