/** What the address of the list says. */
export interface Filters {
  q?: string;
  status?: string;
  attention?: string;
  by?: string;
  repo?: string;
  tag?: string;
  origin?: string;
  archived?: 'true';
}

/** Reads the address; what it cannot mean is left out. */
export function filtersOf(search: Record<string, unknown>): Filters {
  const text = (name: string) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  return {
    ...text('q'),
    ...text('status'),
    ...text('attention'),
    ...text('by'),
    ...text('repo'),
    ...text('tag'),
    ...text('origin'),
    ...(search['archived'] === 'true' || search['archived'] === true ? { archived: 'true' as const } : {}),
  };
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
