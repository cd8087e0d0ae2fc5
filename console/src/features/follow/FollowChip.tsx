import { Chip } from '../../ui/Chip.tsx';
import type { ChangeRequest } from '../change-requests/queries.ts';
import { stateWords } from './words.ts';

/** How a change request of a list is followed. */
export function FollowChip({ follow: { state, rounds } }: Pick<ChangeRequest, 'follow'>) {
  if (state === 'off') return <span className="text-ink-3">–</span>;
  const { word, tone } = stateWords[state];
  return (
    <span title={rounds === 0 ? 'No round yet' : rounds === 1 ? '1 round' : `${rounds} rounds`}>
      <Chip tone={tone}>{word}</Chip>
    </span>
  );
}
