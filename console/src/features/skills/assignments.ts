import type { Schemas } from '../../lib/api.ts';
import type { Skill } from './queries.ts';

/** Which sessions get a skill, as a form holds it. */
export interface Assigned {
  scope: 'organization' | 'repository';
  /** One a line. */
  repos: string;
}

export function assignedOf({ assignments }: Pick<Skill, 'assignments'>): Assigned {
  const repos = assignments.filter(({ scope }) => scope === 'repository').map(({ repo }) => repo);
  const isForAll = repos.length === 0 || repos.length < assignments.length;
  return { scope: isForAll ? 'organization' : 'repository', repos: repos.join('\n') };
}

export function assignmentsOf({ scope, repos }: Assigned): NonNullable<Schemas['UpdateSkillRequest']['assignments']> {
  if (scope === 'organization') return [];
  const names = repos.split(/[\s,]+/).filter((repo) => repo !== '');
  // Without a name it would be everyone's: the API refuses the empty one instead.
  return (names.length === 0 ? [''] : names).map((repo) => ({ scope, repo }));
}
