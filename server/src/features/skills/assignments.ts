import { fieldError } from '../../lib/field-error.ts';
import { textValues } from '../../lib/filters.ts';
import { matchesAny } from '../../lib/patterns.ts';
import { parseRepositoryName, type NamedRepository } from '../../lib/providers.ts';
import type { CreateSkill } from './schemas.ts';
import type { Assignment } from './store.ts';

/** What was asked for in the form that is kept. Throws 400 for an assignment that contradicts itself. */
export function assignmentsOf(wanted: CreateSkill['assignments']): Assignment[] {
  return (wanted ?? []).map(({ scope, repo = '' }, at) => {
    if ((scope === 'repository') === (repo !== '')) return { scope, repo };
    const problem = repo === '' ? 'is required for the scope "repository"' : `means nothing for the scope "${scope}"`;
    throw fieldError(`/assignments/${at}/repo`, `${problem}.`, {
      details: {
        path: `/assignments/${at}/repo`,
      },
    });
  });
}

/** Why a skill is for these repositories; undefined when it is not. */
export function reasonOf(
  assignments: readonly Assignment[],
  repositories: readonly NamedRepository[],
): string | undefined {
  if (assignments.length === 0 || assignments.some(({ scope }) => scope === 'organization'))
    return 'It is for the whole organization.';
  for (const { repo: pattern } of assignments) {
    const found = repositories.find((repository) => isMeant(pattern, repository));
    if (found !== undefined) return `It is for ${pattern}, which ${found.repo} is.`;
  }
  return undefined;
}

/** Names of repositories are compared without case. */
function isMeant(pattern: string, { provider, repo }: NamedRepository): boolean {
  const wanted = parseRepositoryName(pattern.toLowerCase());
  if (wanted.provider !== undefined && provider !== undefined && wanted.provider !== provider) return false;
  return matchesAny([wanted.repo], repo.toLowerCase());
}

/** What is looked at costs a look into each of them. */
const maxNamed = 20;

/** The repositories that the filter `repo` names. Throws 400 for more than 20. */
export function repositoriesIn(query: string | undefined): NamedRepository[] {
  const names = textValues('repo', query);
  if (names.length > maxNamed) throw fieldError('/repo', `names ${names.length} repositories; it takes ${maxNamed}.`);
  return names.map(parseRepositoryName);
}

/** Names as they are known: what is connected is of its provider alone, anything else may be of any. */
export function knownRepositories(
  named: readonly NamedRepository[],
  connected: readonly NamedRepository[],
): NamedRepository[] {
  const there = new Set(connected.map(({ repo }) => repo.toLowerCase()));
  return [...connected, ...named.filter(({ repo }) => !there.has(repo.toLowerCase()))];
}
