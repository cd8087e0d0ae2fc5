import { textsOf } from '../../lib/list.ts';
import { kindOf, type SearchKind } from './search/queries.ts';

const tabs = ['branches', 'push', 'search', 'wiki', 'reviews', 'follow', 'settings'] as const;
export type RepositoryTab = (typeof tabs)[number];

/** What the address of a repository says besides its id. */
export interface RepositorySearch {
  tab?: RepositoryTab;
  q?: string;
  kind?: SearchKind;
  /** The page of the wiki. */
  page?: string;
}

export function repositorySearchOf(search: Record<string, unknown>): RepositorySearch {
  const tab = tabs.find((one) => one === search['tab']);
  const kind = kindOf(search['kind']);
  return {
    ...textsOf(search, ['q', 'page']),
    ...(tab === undefined ? {} : { tab }),
    ...(kind === undefined ? {} : { kind }),
  };
}
