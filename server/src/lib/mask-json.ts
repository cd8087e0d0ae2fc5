/** A value as JSON takes it, with every string in it masked, names of fields too. */
export function maskedJson<T>(value: T, mask: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_name, part: unknown) => {
    if (typeof part === 'string') return mask(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const names = Object.keys(part);
    if (names.every((name) => mask(name) === name)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, content]) => [mask(name), content]));
  });
}
