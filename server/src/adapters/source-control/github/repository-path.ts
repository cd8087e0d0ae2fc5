import { ProviderError } from '../../../lib/errors.ts';

/** Returns true if GitHub could have a repository of this name. */
export function isRepositoryName(repo: string): boolean {
  return /^[\w.-]+\/[\w.-]+$/.test(repo) && !repo.split('/').some((part) => part === '.' || part === '..');
}

/** Returns a repository's path in the REST API. Throws for a name that GitHub does not have. */
export function repositoryPath(repo: string): string {
  if (isRepositoryName(repo)) return `/repos/${repo}`;
  throw new ProviderError(`GitHub names repositories owner/name, and not ${JSON.stringify(repo)}. Correct the name.`, {
    retryable: false,
  });
}
