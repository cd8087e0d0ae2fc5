import { textsOf } from '../../lib/list.ts';

/** What the address of the list says; open ones are shown if it says nothing of states. */
export interface RequestFilters {
  /** `open`, `merged`, `closed`, or `any`. */
  state?: string;
  repo?: string;
  /** An id, or `me`. */
  author?: string;
  /** A state of following, such as `needs_person`. */
  follow?: string;
}

const states = ['open', 'merged', 'closed', 'any'] as const;

export function requestFiltersOf(search: Record<string, unknown>): RequestFilters {
  const { state, ...others } = textsOf(search, ['state', 'repo', 'author', 'follow']);
  const known = states.find((one) => one === state && one !== 'open');
  return { ...others, ...(known === undefined ? {} : { state: known }) };
}

/** What the address of a change request says besides its number. */
export interface RequestSearch {
  tab?: 'conversation' | 'review';
  file?: string;
  /** Lines of the file: `12`, `10-14`; before the change with `old` in front. */
  l?: string;
}

export function requestSearchOf(search: Record<string, unknown>): RequestSearch {
  const { tab, ...texts } = textsOf(search, ['tab', 'file', 'l']);
  return { ...texts, ...(tab === 'conversation' || tab === 'review' ? { tab } : {}) };
}
