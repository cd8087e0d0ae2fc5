import type { Schemas } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import type { Filters } from '../list/filters.ts';

export interface BoardColumn {
  title: string;
  /** Its filters, besides those of the address. */
  set: Filters;
  empty: string;
  amountOf: (counts: Schemas['SessionCounts']) => number;
}

/** The columns of the board: each is a list of its own. */
export const columns: readonly BoardColumn[] = [
  {
    title: 'Needs you',
    set: { attention: 'approval,answer,budget', sort: 'updated_at' },
    empty: 'Nothing waits for a person.',
    amountOf: (counts) => counts.needs_you,
  },
  {
    title: 'Working',
    set: { status: 'queued,provisioning,running' },
    empty: 'Nothing runs.',
    amountOf: ({ working, queued }) => working + queued,
  },
  {
    title: 'Done',
    set: { status: 'completed,failed,canceled', sort: 'updated_at' },
    empty: 'Nothing has ended yet.',
    amountOf: ({ done, failed }) => done + failed,
  },
];

/** Returns true if there is no session at all. */
export function isNone({ needs_you: needs, working, queued, suspended, done, failed }: Schemas['SessionCounts']) {
  return needs + working + queued + suspended + done + failed === 0;
}

/** Returns what the head of the column of working sessions says about the queue: `2 queued, 1 free slot`. */
export function queueWords({ size, free_slots: free, workers }: Schemas['SessionQueue']): string {
  if (size === 0) return '';
  const slots = workers === 0 ? 'no worker is up' : `${count(free)} free ${free === 1 ? 'slot' : 'slots'}`;
  return `${count(size)} queued, ${slots}`;
}
