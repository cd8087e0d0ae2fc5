import { ProviderError } from '../../../lib/errors.ts';

/** The owner of Pagure's projects without a namespace: `_/web` is the project `web`. */
const noNamespace = '_';

/** A project as Pagure names it. */
export interface Project {
  /** In URLs of pages and of the API, for example `web`, `tools/web` or `fork/ada/web`. */
  readonly path: string;
  /** In git URLs and webhooks: the same, but `forks/ada/web`. */
  readonly fullName: string;
}

/** Returns the project of a repository name; undefined if no project of Pagure can have it. */
export function projectOf(repo: string): Project | undefined {
  const parts = repo.split('/');
  if (!parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part))) return undefined;
  const [owner = '', name = '', ...rest] = parts;
  if (owner === 'forks' || name === '') return undefined;
  if (owner !== 'fork') {
    const path = owner === noNamespace ? name : `${owner}/${name}`;
    return rest.length === 0 ? { path, fullName: path } : undefined;
  }
  return rest.length === 1 || rest.length === 2 ? { path: repo, fullName: repo.replace('fork/', 'forks/') } : undefined;
}

/** Returns the repository name of a project's full name; undefined if the API does not accept such a name. */
export function repoOf(fullName: string): string | undefined {
  const repo = fullName.includes('/') ? fullName.replace(/^forks\//, 'fork/') : `${noNamespace}/${fullName}`;
  return projectOf(repo)?.fullName === fullName ? repo : undefined;
}

/** Throws a permanent ProviderError if no project of Pagure can have the name. */
export function requireProject(repo: string): Project {
  const project = projectOf(repo);
  if (project !== undefined) return project;
  throw new ProviderError(
    `Pagure has no project ${JSON.stringify(repo)}. Write _/name, namespace/name or fork/user/name.`,
    { retryable: false },
  );
}
