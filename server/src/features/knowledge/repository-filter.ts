import { matchesAny } from '../../lib/patterns.ts';
import { parseRepositoryName, type NamedRepository } from '../../lib/providers.ts';

/**
 * Tells if a `repo_filter` matches any of the repositories: `''` matches all, else globs separated by commas, `owner/name` or
 * `owner/*`, optionally with the provider and a colon in front. A `*` stands for any characters, including slashes: `acme/*`
 * matches projects in subgroups of `acme`. Ignores case.
 */
export function passesFilter(filter: string, repositories: readonly NamedRepository[]): boolean {
  const globs = filter
    .split(',')
    .map((glob) => glob.trim().toLowerCase())
    .filter((glob) => glob !== '');
  return globs.length === 0 || repositories.some((repository) => globs.some((glob) => fits(glob, repository)));
}

function fits(glob: string, { provider, repo }: NamedRepository): boolean {
  const wanted = parseRepositoryName(glob);
  const isThere = wanted.provider === undefined || provider === undefined || wanted.provider === provider;
  return isThere && matchesAny([wanted.repo], repo.toLowerCase());
}
