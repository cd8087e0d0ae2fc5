import { slugOf } from '../../../lib/slug.ts';

const maxSlugLength = 40;

/** Returns a session's branch name: the organization's prefix, a readable slug, and a unique suffix. */
export function branchName(prefix: string, title: string, sessionId: string): string {
  const words = slugOf(title, maxSlugLength);
  return `${prefix}${words === '' ? 'session' : words}-${sessionId.slice(-6)}`;
}

/** Directories of the repositories relative to the workspace: `''` for a single one, otherwise by their names. */
export function repositoryDirectories(repos: readonly string[]): string[] {
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
