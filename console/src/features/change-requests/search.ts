import { textsOf } from '../../lib/list.ts';
import type { DiffLines } from '../../ui/diff/diff.ts';

/** What the address of the list says; open ones are shown if it says nothing of states. */
export interface RequestFilters {
  /** `open`, `merged`, `closed`, or `any`. */
  state?: string;
  repo?: string;
  /** An id, or `me`. */
  author?: string;
}

const states = ['open', 'merged', 'closed', 'any'] as const;

export function requestFiltersOf(search: Record<string, unknown>): RequestFilters {
  const { state, ...others } = textsOf(search, ['state', 'repo', 'author']);
  const known = states.find((one) => one === state && one !== 'open');
  return { ...others, ...(known === undefined ? {} : { state: known }) };
}

/** What the address of a change request says besides its number. */
export interface RequestSearch {
  tab?: 'conversation';
  file?: string;
  /** Lines of the file: `12`, `10-14`; before the change with `old:` in front. */
  l?: string;
}

export function requestSearchOf(search: Record<string, unknown>): RequestSearch {
  const { tab, ...texts } = textsOf(search, ['tab', 'file', 'l']);
  return { ...texts, ...(tab === 'conversation' ? { tab } : {}) };
}

/** Returns the lines that an address names; undefined if it names none. */
export function linesOf({ file, l }: RequestSearch): DiffLines | undefined {
  if (file === undefined) return undefined;
  const [, old, from = '1', to = from] = /^(old:)?(\d{1,9})(?:-(\d{1,9}))?$/.exec(l ?? '1') ?? [];
  return { path: file, side: old === undefined ? 'new' : 'old', from: Number(from), to: Number(to) };
}

/** Returns how an address names lines. */
export function addressOf({ path, side, from, to }: DiffLines): Required<Pick<RequestSearch, 'file' | 'l'>> {
  return { file: path, l: `${side === 'old' ? 'old:' : ''}${from === to ? from : `${from}-${to}`}` };
}
