import type { HostConnection } from '../connection.ts';
import type { ReachableRepository, SourceControl } from '../port.ts';
import { InstallationRepositories, Repositories, Repository } from './answers.ts';
import type { GithubClient } from './client.ts';
import { GithubFailure } from './failures.ts';
import { isRepositoryName, repositoryPath } from './repository-path.ts';

const pageSize = 100;
/** The pages that one call reads, so that a rare name costs a bounded number of requests. */
const maxPages = 5;

export interface FoundRepository {
  /** Its name now, which differs after a renaming. */
  readonly repo: string;
  readonly defaultBranch: string;
}

/** Reads a repository, also a renamed one: GitHub redirects. Undefined if it does not exist, or the connection may not see it. */
export async function readRepository(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
): Promise<FoundRepository | undefined> {
  if (!isRepositoryName(repo)) return undefined;
  try {
    const call = { does: `read the repository ${repo}`, path: repositoryPath(repo), answer: Repository };
    const { data } = await client.call(connection, call);
    return { repo: data.full_name, defaultBranch: data.default_branch };
  } catch (error) {
    // 451: blocked for legal reasons.
    if (error instanceof GithubFailure && [404, 451].includes(error.status)) return undefined;
    throw error;
  }
}

/** Like {@link readRepository}, but throws if there is none. */
export async function requireRepository(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
): Promise<FoundRepository> {
  const found = await readRepository(client, connection, repo);
  if (found !== undefined) return found;
  const { host } = new URL(connection.url);
  throw new GithubFailure(
    `${host} has no repository ${repo}, or the connection has no access to it. Give it access, or delete the repository here.`,
    { retryable: false, status: 404 },
  );
}

/** Lists what a connection can reach. GitHub cannot search there, so this filters page by page; an answer may be short. */
export function reachableRepositories(client: GithubClient): NonNullable<SourceControl['reachable']> {
  return async (ref, { search, page, limit }) => {
    const connection = await client.open(ref);
    const wanted = search.toLowerCase();
    const items: ReachableRepository[] = [];
    let { number, index } = placeOf(page);
    for (let read = 0; read < maxPages; read += 1) {
      const { repositories, isLast } = await readPage(client, connection, number);
      for (; index < repositories.length; index += 1) {
        const found = repositories[index];
        if (found === undefined || !found.full_name.toLowerCase().includes(wanted)) continue;
        if (items.length === limit) return { items, next: `${number}.${index}` };
        const { full_name: repo, default_branch: defaultBranch, private: isPrivate, html_url: url } = found;
        items.push({ repo, defaultBranch, private: isPrivate, url });
      }
      if (isLast) return { items, next: '' };
      number += 1;
      index = 0;
    }
    return { items, next: `${number}.0` };
  };
}

/** Parses the place where a listing continues, `page.index`; the beginning for any other text. */
function placeOf(page: string): { number: number; index: number } {
  const [, number = '1', index = '0'] = /^([1-9]\d{0,5})\.(\d{1,2})$/.exec(page) ?? [];
  return { number: Number(number), index: Number(index) };
}

async function readPage(client: GithubClient, connection: HostConnection, page: number) {
  const query = { per_page: String(pageSize), page: String(page) };
  const does = 'list repositories';
  if (connection.credential.kind === 'app') {
    const call = { does, path: '/installation/repositories', query, answer: InstallationRepositories };
    const { headers, data } = await client.call(connection, call);
    return { repositories: data.repositories, isLast: !hasNextPage(headers) };
  }
  const call = { does, path: '/user/repos', query: { ...query, sort: 'full_name' }, answer: Repositories };
  const { headers, data } = await client.call(connection, call);
  return { repositories: data, isLast: !hasNextPage(headers) };
}

/** Returns true if the `Link` header names a next page. Its URL is not used: a page has a number. */
function hasNextPage(headers: Headers): boolean {
  return /;\s*rel="next"/.test(headers.get('link') ?? '');
}
