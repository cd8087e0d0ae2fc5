import { fieldError } from './field-error.ts';

/** Parses a comma-separated filter; empty when absent. Throws 400 for a value that is not allowed. */
export function filterValues<T extends string>(name: string, value: string | undefined, allowed: readonly T[]): T[] {
  return textValues(name, value).map((item) => {
    const known = allowed.find((candidate) => candidate === item);
    if (known !== undefined) return known;
    const expected = `one of ${allowed.join(', ')}, or several separated by commas`;
    throw fieldError(`/${name}`, `must be ${expected}, not ${JSON.stringify(item)}.`);
  });
}

/** Parses a filter that is `true`, `false` or both; undefined if it excludes nothing. */
export function flagValue(name: string, value: string | undefined): boolean | undefined {
  const [flag, ...others] = filterValues(name, value, ['true', 'false']);
  return flag === undefined || others.length > 0 ? undefined : flag === 'true';
}

/** Parses a comma-separated filter of any texts. */
export function textValues(name: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  const values = value.split(',').map((item) => item.trim());
  if (values.includes('')) throw fieldError(`/${name}`, 'has an empty value.');
  return [...new Set(values)];
}
