/**
 * Masks every string and key of a JSON value. Keeps strings that consist of one of `words` alone: protocol keywords must
 * survive even if somebody chose one as a secret.
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

/** Field names of the platform are kept as well. */
function maskedName(name: string, mask: (text: string) => string): string {
  return /^[A-Za-z_]+$/.test(name) ? name : mask(name);
}
