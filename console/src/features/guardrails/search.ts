import { textsOf } from '../../lib/list.ts';

/** What the address of the guardrails says: whose they are, which part is open, and the filter of violations. */
export interface GuardrailsSearch {
  repo?: string;
  tab?: 'rules' | 'try' | 'violations';
  rule?: string;
}

export function guardrailsSearchOf(search: Record<string, unknown>): GuardrailsSearch {
  const { tab } = search;
  return {
    ...textsOf(search, ['repo', 'rule']),
    ...(tab === 'try' || tab === 'violations' ? { tab } : {}),
  };
}
