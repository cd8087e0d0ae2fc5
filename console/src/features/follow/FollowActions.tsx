import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import type { ChangeRequest, Place } from '../change-requests/queries.ts';
import { useCan } from '../shell/useCan.ts';
import { FollowWith } from './FollowWith.tsx';
import { followPath, type Follow, type FollowAction } from './queries.ts';

const says: Record<FollowAction, string> = {
  watch: 'It is followed until it merges.',
  pause: 'Following is paused.',
  resume: 'It is followed again.',
  end: 'It is no longer followed.',
};

interface Props {
  place: Place;
  request: ChangeRequest;
  follow: Follow;
}

/** Begins to follow a change request, pauses that, goes on, or ends it. */
export function FollowActions({ place: { org, repository: id, number }, request, follow }: Props) {
  const canWrite = useCan(org, 'repos:write');
  const canRead = useCan(org, 'sessions:read');
  const act = useAction({
    call: ({ action, session_id }: { action: FollowAction; session_id?: string }) =>
      unwrap(
        apiOf(org).POST(followPath, {
          params: { path: { id, number } },
          body: session_id === undefined ? { action } : { action, session_id },
        }),
      ),
    touches: [keys.lists(org, 'change-requests')],
    says: (_result, { action }) => says[action],
  });
  const { state, session_id: session } = follow;
  const isOver = state === 'off' || state === 'ended';
  const isWaiting = state === 'paused' || state === 'needs_person';
  // A session must do the work.
  const canWatch = isOver && (session !== '' || request.session_id !== '');
  if (!canWrite) return null;
  if (isOver && !canWatch)
    return canRead ? (
      <FollowWith
        org={org}
        repo={request.repo}
        isPending={act.isPending}
        watch={(session_id) => act.mutate({ action: 'watch', session_id })}
      />
    ) : null;
  const button = (action: FollowAction, word: string) => (
    <Button disabled={act.isPending} onClick={() => act.mutate({ action })}>
      {word}
    </Button>
  );
  return (
    <span className="flex flex-wrap gap-2">
      {canWatch && button('watch', 'Follow until it merges')}
      {isWaiting && button('resume', 'Go on')}
      {!isOver && !isWaiting && button('pause', 'Pause')}
      {!isOver && button('end', 'Stop following')}
    </span>
  );
}
