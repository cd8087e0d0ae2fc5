import { ProviderError } from '../../../lib/errors.ts';
import type { ReachableRepository, SourceControl } from '../port.ts';
import { PagureRefusal, type PagureClient } from './client.ts';
import type { Accounts } from './accounts.ts';
import { projectOf, repoOf } from './project.ts';
import { Branches, Done, Projects } from './shapes.ts';

/** Each project of a page takes a request of its own. */
const maxItems = 20;
/** Projects of one page; a person has found the wanted one by then. */
const maxPage = 1_000;

type Repositories = Pick<SourceControl, 'find'> & Required<Pick<SourceControl, 'reachable'>>;

export function createRepositories(client: PagureClient, accounts: Accounts): Repositories {
  return {
    async find(repository) {
      const { repo } = repository;
      const path = projectOf(repo)?.path;
      if (path === undefined) return undefined;
      const branches = await client.call(repository, { path: `${path}/git/branches` }, Branches).catch(absent);
      if (branches === undefined) {
        // Only this answers for private projects; the rest of Pagure's API denies them.
        const hidden = await client.call(repository, { path: `${path}/git/urls` }, Done).catch(absent);
        if (hidden === undefined) return undefined;
        throw permanent(`${repo} is private, and Pagure's API does not show private projects. Make it public.`);
      }
      if (typeof branches.default === 'string') return { defaultBranch: branches.default };
      throw permanent(`${repo} has no default branch. Push a first commit to it.`);
    },
    async reachable(connection, { search, page, limit }) {
      const number = page === '' ? 1 : Number(page);
      if (!Number.isInteger(number) || number < 1 || number > maxPage) throw permanent('There is no such page.');
      const size = Math.min(limit, maxItems);
      const query = {
        username: await accounts.name(connection),
        page: String(number),
        per_page: String(size),
        ...(search === '' ? {} : { pattern: `*${search}*` }),
      };
      const { projects, pagination } = await client.call(connection, { path: 'projects', query }, Projects);
      const { url } = await client.open(connection);
      const items = await Promise.all(
        projects.slice(0, size).map(async ({ fullname, private: isPrivate }) => {
          const repo = repoOf(fullname);
          const path = projectOf(repo ?? '')?.path;
          if (repo === undefined || path === undefined) return [];
          const branches = await client.call(connection, { path: `${path}/git/branches` }, Branches).catch(absent);
          const branch = branches?.default;
          const item: ReachableRepository = {
            repo,
            defaultBranch: typeof branch === 'string' ? branch : '',
            private: isPrivate ?? false,
            url: `${url}/${path}`,
          };
          return item;
        }),
      );
      const isMore = number < Math.min(pagination?.pages ?? 0, maxPage);
      return { items: items.flat(), next: isMore ? String(number + 1) : '' };
    },
  };
}

function absent(error: unknown): undefined {
  if (error instanceof PagureRefusal && error.status === 404) return undefined;
  throw error;
}

function permanent(message: string): ProviderError {
  return new ProviderError(message, { retryable: false });
}
