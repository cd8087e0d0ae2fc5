import { textsOf } from '../../../lib/list.ts';

const names = ['q', 'status', 'attention', 'by', 'repo', 'tag', 'origin'] as const;

/** What the address says about which sessions are shown. */
export interface Filters extends Partial<Record<(typeof names)[number], string>> {
  archived?: 'true';
  /** How far back: see `periods`. */
  since?: Period;
  /** The last changed first, instead of the last begun. */
  sort?: 'updated_at';
}

/** The address of the list: its filters, how they are shown, and the saved view that they came from. */
export interface ListSearch extends Filters {
  view?: 'table';
  /** The id of a saved view; what the address says besides it wins. */
  saved?: string;
}

/** Periods with their words and lengths in hours. */
export const periods = {
  '24h': ['24 hours', 24],
  '7d': ['7 days', 168],
  '30d': ['30 days', 720],
} as const;
export type Period = keyof typeof periods;

export function isPeriod(value: unknown): value is Period {
  return typeof value === 'string' && Object.hasOwn(periods, value);
}

/** Reads the address; what it cannot mean is left out. */
export function searchOf(search: Record<string, unknown>): ListSearch {
  const { archived, since, sort, view } = search;
  return {
    ...textsOf(search, [...names, 'saved']),
    ...(archived === 'true' || archived === true ? { archived: 'true' as const } : {}),
    ...(isPeriod(since) ? { since } : {}),
    ...(sort === 'updated_at' ? { sort } : {}),
    ...(view === 'table' ? { view } : {}),
  };
}

/** Returns the filters alone. */
export function filtersOf({ view: _view, saved: _saved, ...filters }: ListSearch): Filters {
  return filters;
}

/** Groups of states that a person would pick: the API's filter for each, and what `/sessions/counts` counts in it. */
export const groups = [
  { label: 'All', set: {}, counts: [] },
  { label: 'Needs you', set: { attention: 'approval,answer,budget' }, counts: ['needs_you'] },
  { label: 'Working', set: { status: 'queued,provisioning,running' }, counts: ['working', 'queued'] },
  { label: 'Done', set: { status: 'completed,canceled' }, counts: [] },
  { label: 'Failed', set: { status: 'failed' }, counts: [] },
] as const;

/** Returns true if the filters pick exactly this group. */
export function isGroup(filters: Filters, set: { status?: string; attention?: string }): boolean {
  return filters.status === set.status && filters.attention === set.attention;
}

/** The words of the origins of sessions. */
export const origins = [
  ['console', 'Console'],
  ['api', 'API'],
  ['cli', 'Command line'],
  ['mcp', 'MCP'],
  ['automation', 'Automation'],
  ['review', 'Review'],
  ['session', 'Another session'],
] as const;

/** Returns the address of a saved view; only texts that the list knows are read. */
export function searchOfView(id: string, query: Record<string, unknown>): ListSearch {
  return { ...searchOf(query), saved: id };
}

/** Returns what a view keeps of an address. */
export function queryOfView({ saved: _saved, ...search }: ListSearch): Record<string, string> {
  return Object.fromEntries(Object.entries(search));
}

/** Returns true if an address shows exactly what a view keeps. */
export function showsView(search: ListSearch, query: Record<string, unknown>): boolean {
  const written = (values: ListSearch) =>
    JSON.stringify(Object.entries(queryOfView(values)).toSorted(([a], [b]) => a.localeCompare(b)));
  return written(search) === written(searchOf(query));
}

/** Returns true if the board can show an address: it has columns for states, and its own order. */
export function isOnBoard({ view, status, attention, archived, sort }: ListSearch): boolean {
  return [view, status, attention, archived, sort].every((value) => value === undefined);
}

type Entered = { [Name in keyof Filters]: Filters[Name] | undefined };

/** Returns the filters that hold; what is empty or undefined is left out. */
export function onlyGiven(entered: Entered): Filters {
  return filtersOf(searchOf(Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== undefined))));
}
