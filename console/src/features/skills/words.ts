import type { Skill } from './queries.ts';

/** Says which sessions get a skill. */
export function givenTo({ assignments }: Pick<Skill, 'assignments'>): string {
  const repos = assignments.filter(({ scope }) => scope === 'repository').map(({ repo }) => repo);
  return repos.length === 0 || repos.length < assignments.length ? 'every session' : repos.join(', ');
}
