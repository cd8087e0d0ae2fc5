import { Chip } from '../../ui/Chip.tsx';
import type { ChangeRequest } from './queries.ts';

const words = { open: 'Open', merged: 'Merged', closed: 'Closed' } as const;

/** The state of a change request; one that is open may be a draft, or have conflicts. */
export function StateChip({ of: { state, draft, mergeable } }: { of: ChangeRequest }) {
  if (state === 'open' && !mergeable) return <Chip tone="wait">Open, conflicts</Chip>;
  return <Chip tone={state === 'open' ? 'run' : 'plain'}>{state === 'open' && draft ? 'Draft' : words[state]}</Chip>;
}
