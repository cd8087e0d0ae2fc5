import { slugOf } from '../../../lib/slug.ts';

const maxSlugLength = 40;

/** The branch of a session below the organization's prefix: readable, and its own for good. */
export function branchName(prefix: string, title: string, sessionId: string): string {
  const words = slugOf(title, maxSlugLength);
  return `${prefix}${words === '' ? 'session' : words}-${sessionId.slice(-6)}`;
}

/** Where each repository lies below the workspace: alone it is the workspace, several lie side by side by their names. */
export function directoriesOf(repos: readonly string[]): string[] {
  if (repos.length === 1) return [''];
  const taken = new Set<string>();
  return repos.map((repo) => {
    const name = repo.slice(repo.lastIndexOf('/') + 1);
    let directory = name;
    for (let number = 2; taken.has(directory.toLowerCase()); number += 1) directory = `${name}-${number}`;
    taken.add(directory.toLowerCase());
    return directory;
  });
}
