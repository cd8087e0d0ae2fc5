import type { Note, NoteVersion } from './queries.ts';

/** Says which sessions get a note. */
export function givenTo({ scope, repo_filter: repos }: Pick<Note, 'scope' | 'repo_filter'>): string {
  const where = repos === '' ? 'all repositories' : repos;
  if (scope === 'user') return `my sessions, ${where}`;
  return where;
}

/** Returns a note as a text, so that its versions can be compared line by line. */
export function textOf({ name, trigger, scope, repo_filter: repos, enabled, body }: NoteVersion | Note): string {
  return [`name: ${name}`, `when: ${trigger}`, `scope: ${scope}`, `repositories: ${repos}`, `on: ${enabled}`, '', body]
    .join('\n')
    .replace(/\n?$/, '\n');
}
