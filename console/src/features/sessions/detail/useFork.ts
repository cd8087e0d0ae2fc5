import { useNavigate } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { useAction } from '../../../lib/useAction.ts';

/** Forks a session from its newest checkpoint, or from the last one at or before an event, and shows the fork. */
export function useFork(org: string, id: string) {
  const navigate = useNavigate();
  return useAction({
    call: (seq: number | undefined) =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/sessions/{id}/fork', {
          params: { path: { id } },
          body: seq === undefined ? {} : { seq },
        }),
      ),
    touches: [keys.lists(org, 'sessions')],
    says: 'The fork waits for your message.',
    done: ({ id: fork }) => navigate({ to: '/$org/sessions/$id', params: { org, id: fork } }),
  });
}
