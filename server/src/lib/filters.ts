import { fieldError } from './field-error.ts';
import { parseRepositoryName, prefixesText, repositoryName, type NamedRepository } from './providers.ts';

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

const wholeRepositoryName = new RegExp(`^${repositoryName}$`);

/** Parses a filter of repositories, each `owner/name` or `provider:owner/name`. Throws 400 for another form. */
export function repositoryValues(name: string, value: string | undefined): NamedRepository[] {
  return textValues(name, value).map((item) => {
    const named = parseRepositoryName(item);
    if (wholeRepositoryName.test(named.repo)) return named;
    const expected = `owner/name, optionally with the prefix ${prefixesText()}`;
    throw fieldError(`/${name}`, `must be ${expected}, not ${JSON.stringify(item.slice(0, 200))}.`);
  });
}
