/** Deeper than anything the platform takes, and far from what would exhaust the stack of those who walk it. */
export const maxJsonDepth = 100;

/** More than any request needs, and few enough that something may be wrong with each of them. */
export const maxJsonValues = 20_000;

/** Whether a value from `JSON.parse` holds more than `limit` values, itself among them. */
export function hasMoreValues(value: unknown, limit: number): boolean {
  const waiting = [value];
  for (let count = 1; waiting.length > 0; count += 1) {
    if (count + waiting.length - 1 > limit) return true;
    const item = waiting.pop();
    if (typeof item !== 'object' || item === null) continue;
    const items = Object.values(item);
    if (count + waiting.length + items.length > limit) return true;
    waiting.push(...items);
  }
  return false;
}

/** Whether a value from `JSON.parse` has more than `limit` arrays and objects in one another. */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** What PostgreSQL, or JavaScript, cannot hold of a JSON value: where it stands as a JSON pointer, and a sentence without a subject. */
export function unkeepable(value: unknown, path = ''): { path: string; message: string } | undefined {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? { path, message: 'holds U+0000 or a lone surrogate, which no text may' }
      : undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path, message: 'is a number too large to be kept' };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return { path: `${path}/${key}`, message: 'is not a key that can be used' };
    const found = unkeepable(key, path) ?? unkeepable(item, `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
