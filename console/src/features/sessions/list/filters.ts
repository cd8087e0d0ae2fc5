/** What the address of the list says. */
export interface Filters {
  q?: string;
  status?: string;
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
    ...text('repo'),
    ...text('tag'),
    ...text('origin'),
    ...(search['archived'] === 'true' || search['archived'] === true ? { archived: 'true' as const } : {}),
  };
}

/** Groups of states that a person would pick, and the API's filter for each. */
export const stateFilters = [
  { label: 'All', status: '' },
  { label: 'Needs you', status: 'waiting,suspended' },
  { label: 'Working', status: 'queued,provisioning,running' },
  { label: 'Done', status: 'completed,failed,canceled' },
] as const;
