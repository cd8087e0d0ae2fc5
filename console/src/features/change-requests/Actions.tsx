import { ChevronDown } from 'lucide-react';
import { useActions } from '../../lib/actions.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { useCan } from '../shell/useCan.ts';
import type { ChangeRequest, Place } from './queries.ts';
import type { useEnding } from './useEnding.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
  ending: ReturnType<typeof useEnding>;
  /** True while the form is open that sends it back. */
  isAsking: boolean;
  setAsking: (isAsking: boolean) => void;
}

/** What becomes of a change request: merge it, send it back to its session, or close it. */
export function Actions({ place, request, ending, isAsking, setAsking }: Props) {
  const { org } = place;
  const { mergeable, state, session_id: session } = request;
  const canWrite = useCan(org, 'repos:write') && state === 'open';
  const canAsk = useCan(org, 'run') && session !== '';
  const { method, choose, isMerging, merge, close } = ending;
  const canMerge = canWrite && mergeable && !isMerging;
  useActions('Change request', [
    ...(canMerge ? [{ label: 'Merge', key: 'm', act: merge }] : []),
    ...(canAsk ? [{ label: 'Send back to the session', key: 'r', act: () => setAsking(true) }] : []),
    ...(canWrite ? [{ label: 'Close the change request', act: close }] : []),
  ]);
  return (
    <>
      {canAsk && (
        <Button aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
          Send back
        </Button>
      )}
      {canWrite && (
        <span className="flex">
          <Button look="primary" disabled={!canMerge} onClick={merge} className="rounded-r-none">
            {isMerging ? 'Merging …' : method === 'squash' ? 'Squash and merge' : 'Merge'}
          </Button>
          <span className="relative grid size-8 place-items-center rounded-r-control bg-accent text-on-accent shadow-[-1px_0_0_var(--on-accent)] has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent pointer-coarse:size-11">
            <ChevronDown size={16} strokeWidth={1.5} aria-hidden />
            <select
              aria-label="How to merge"
              value={method}
              onChange={({ target }) => choose(target.value === 'squash' ? 'squash' : 'merge')}
              className="absolute inset-0 cursor-pointer bg-surface text-ink opacity-0"
            >
              <option value="merge">A merge commit</option>
              <option value="squash">One squashed commit</option>
            </select>
          </span>
        </span>
      )}
      <Menu label="More" items={[canWrite && { label: 'Close', danger: true, select: close }]} />
    </>
  );
}
