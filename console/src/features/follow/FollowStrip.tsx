import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Chip } from '../../ui/Chip.tsx';
import type { ChangeRequest, Place } from '../change-requests/queries.ts';
import { useCan } from '../shell/useCan.ts';
import { FollowActions } from './FollowActions.tsx';
import { followQuery } from './queries.ts';
import { Rounds } from './Rounds.tsx';
import { hostWords, stateWords } from './words.ts';

/** How a change request is followed until it merges: its state and why, its checks, and the rounds of its session. */
export function FollowStrip({ place, request }: { place: Place; request: ChangeRequest }) {
  const { data: follow } = useQuery(followQuery(place));
  const canRead = useCan(place.org, 'sessions:read');
  const isOpen = request.state === 'open';
  if (follow === undefined || (!isOpen && follow.state === 'off')) return null;
  const { state, reason, session_id: session } = follow;
  const { word, tone } = stateWords[state];
  const said = hostWords(follow);
  return (
    <section
      aria-label="Follow"
      className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1 sm:px-6"
    >
      <span className="text-ink-3">Until it merges</span>
      <Chip tone={tone}>{word}</Chip>
      <span className="min-w-0 flex-1 basis-64 break-words text-ink-2">
        {reason !== '' && <span className="block text-ink">{reason}</span>}
        {said}
        {canRead && session !== '' && session !== request.session_id && (
          <>
            {' '}
            <Link to="/$org/sessions/$id" params={{ org: place.org, id: session }} className="underline">
              its session
            </Link>
          </>
        )}
      </span>
      {isOpen && <FollowActions place={place} request={request} follow={follow} />}
      {state !== 'off' && <Rounds org={place.org} follow={follow} />}
    </section>
  );
}
