import { ApiError, apiOf, unwrap } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useCan } from '../shell/useCan.ts';
import { conflictsOf, conflictRequest } from './conflicts.ts';
import type { ChangeRequest, Place } from './queries.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
}

/** Why it cannot be merged, with the files that conflict as far as they are known. */
export function Refused({ place, request, error }: Props & { error: Error | null }) {
  const { state, mergeable, base_ref: base, session_id: session } = request;
  const canAsk = useCan(place.org, 'run') && session !== '';
  const paths = error instanceof ApiError ? conflictsOf(error) : [];
  const hasConflicts = state === 'open' && (!mergeable || paths.length > 0);
  if (!hasConflicts && error === null) return null;
  return (
    <div className="flex flex-col gap-2 px-4 pb-3 sm:px-6">
      {error !== null && (
        <p role="alert" className="border-l-2 border-bad bg-bad-soft px-3 py-2">
          {failureOf(error).message}
        </p>
      )}
      {hasConflicts && (
        <div className="flex flex-wrap items-center gap-2 border-l-2 border-wait bg-wait-soft px-3 py-2">
          <p className="min-w-0 flex-1 basis-64 break-words">
            It conflicts with {base}
            {paths.length > 0 && `: ${paths.slice(0, 20).join(', ')}`}.
          </p>
          {canAsk && <LetResolve place={place} request={request} paths={paths} />}
        </div>
      )}
    </div>
  );
}

function LetResolve({ place: { org }, request, paths }: Props & { paths: readonly string[] }) {
  const { session_id: id, number, base_ref: base } = request;
  const send = useAction({
    call: () =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/sessions/{id}/messages', {
          params: { path: { id } },
          body: { content: conflictRequest(number, base, paths) },
        }),
      ),
    touches: [[org, 'sessions']],
    says: 'The session was asked to resolve the conflicts.',
  });
  return (
    <Button disabled={send.isPending || send.isSuccess} onClick={() => send.mutate()}>
      {send.isSuccess ? 'Asked' : 'Let the session resolve it'}
    </Button>
  );
}
