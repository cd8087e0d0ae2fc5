import { isObject, isSame } from '../lib/same.ts';

/** Returns `theirs` with everything that `mine` changed since `base`; a list counts as one value. */
export function merged(base: unknown, theirs: unknown, mine: unknown): unknown {
  if (isSame(base, mine)) return theirs;
  return isObject(theirs) && isObject(mine) ? mergedObject(base, theirs, mine) : mine;
}

export function mergedObject<Values extends object>(base: unknown, theirs: Values, mine: object): Values {
  const changes = Object.entries(mine).map(([key, value]) => {
    const before = isObject(base) ? Reflect.get(base, key) : undefined;
    return [key, merged(before, Reflect.get(theirs, key), value)] as const;
  });
  return { ...theirs, ...Object.fromEntries(changes) };
}

/** Returns values as lines, `limits.tokens: 5`. A text of several lines stands below its name. */
export function linesOf(value: unknown, path = ''): string {
  if (isObject(value) || (Array.isArray(value) && value.some((item) => typeof item === 'object'))) {
    const parts = Object.entries(value).map(([key, part]) => linesOf(part, path === '' ? key : `${path}.${key}`));
    return parts.join('');
  }
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return text.includes('\n') ? `${path}:\n${text.replace(/\n?$/, '\n')}` : `${path}: ${text}\n`;
}
