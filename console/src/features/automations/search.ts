import { textsOf } from '../../lib/list.ts';

/** What the address of the list says. */
export interface AutomationFilters {
  q?: string;
  status?: string;
}

export function automationFiltersOf(search: Record<string, unknown>): AutomationFilters {
  return textsOf(search, ['q', 'status']);
}

/** What the address of an automation says: its tab, and the filters of its runs. */
export interface AutomationTab {
  tab?: 'runs' | 'edit';
  status?: string;
  trigger?: string;
}

export function automationTabOf(search: Record<string, unknown>): AutomationTab {
  return { ...textsOf(search, ['status', 'trigger']), ...(search['tab'] === 'edit' ? { tab: 'edit' as const } : {}) };
}

/** What the address of a new automation fills in; a link never creates anything. */
export interface Given {
  example?: string;
  prompt?: string;
  repo?: string;
  ref?: string;
  /** `session`: begins with what was entered for a new session. */
  from?: 'session';
}

export function givenOf(search: Record<string, unknown>): Given {
  return {
    ...textsOf(search, ['example', 'prompt', 'repo', 'ref']),
    ...(search['from'] === 'session' ? { from: 'session' as const } : {}),
  };
}
