import { fieldError } from '../../lib/field-error.ts';
import { repositoryValues } from '../../lib/filters.ts';
import { matchesAny } from '../../lib/patterns.ts';
import { parseRepositoryName, type NamedRepository } from '../../lib/providers.ts';
import type { CreateSkill } from './schemas.ts';
import type { Assignment } from './store.ts';

/** Returns the requested assignments in stored form. Throws 400 for a contradictory assignment. */
export function assignmentsOf(wanted: CreateSkill['assignments']): Assignment[] {
  return (wanted ?? []).map(({ scope, repo = '' }, at) => {
    if ((scope === 'repository') === (repo !== '')) return { scope, repo };
    const problem = repo === '' ? 'is required for the scope "repository"' : `must be omitted for the scope "${scope}"`;
    throw fieldError(`/assignments/${at}/repo`, `${problem}.`);
  });
}

/** Explains why a skill applies to these repositories; undefined when it does not. */
export function reasonOf(
  assignments: readonly Assignment[],
  repositories: readonly NamedRepository[],
): string | undefined {
  if (assignments.length === 0 || assignments.some(({ scope }) => scope === 'organization'))
    return 'It applies to the whole organization.';
  for (const { repo: pattern } of assignments) {
    const found = repositories.find((repository) => isMeant(pattern, repository));
    if (found !== undefined) return `It applies to ${pattern}, which matches ${found.repo}.`;
  }
  return undefined;
}

/** Compares repository names case-insensitively. */
function isMeant(pattern: string, { provider, repo }: NamedRepository): boolean {
  const wanted = parseRepositoryName(pattern.toLowerCase());
  if (wanted.provider !== undefined && provider !== undefined && wanted.provider !== provider) return false;
  return matchesAny([wanted.repo], repo.toLowerCase());
}

/** Each name costs a database lookup. */
const maxNamed = 20;

/** The repositories that the filter `repo` names. Throws 400 for more than 20. */
export function repositoriesIn(query: string | undefined): NamedRepository[] {
  const names = repositoryValues('repo', query);
  if (names.length > maxNamed)
    throw fieldError('/repo', `names ${names.length} repositories; at most ${maxNamed} are allowed.`);
  return names;
}

/** Resolves names: a connected repository has one provider, an unknown name may belong to any. */
export function knownRepositories(
  named: readonly NamedRepository[],
  connected: readonly NamedRepository[],
): NamedRepository[] {
  const there = new Set(connected.map(({ repo }) => repo.toLowerCase()));
  return [...connected, ...named.filter(({ repo }) => !there.has(repo.toLowerCase()))];
}
