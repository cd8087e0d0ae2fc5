import type { Draft } from './draft.ts';

/** Returns true if a session with this draft works on a repository, named with or without its git host. */
export function isOn({ repositories }: Pick<Draft, 'repositories'>, repo: string): boolean {
  return repositories.some(({ repo: name }) => name !== '' && (name === repo || repo.endsWith(`:${name}`)));
}
