import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useActions } from '../../lib/actions.ts';
import { ApiError, apiOf, unwrap } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { useCan } from '../shell/useCan.ts';
import { AskForm } from './AskForm.tsx';
import { conflictsOf, conflictRequest } from './conflicts.ts';
import type { ChangeRequest, Place } from './queries.ts';
import { useEnding } from './useEnding.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
}

/** What becomes of a change request: merge it, send it back to its session, or close it. */
export function Actions({ place, request }: Props) {
  const { org } = place;
  const { mergeable, state, session_id: session } = request;
  const canWrite = useCan(org, 'repos:write') && state === 'open';
  const canAsk = useCan(org, 'run') && session !== '';
  const [isAsking, setAsking] = useState(false);
  const { method, choose, isMerging, error, merge, close } = useEnding({ place, request });
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
      <Refused place={place} request={request} error={error} canAsk={canAsk} />
      {isAsking && (
        <div className="w-full">
          <AskForm place={place} request={request} close={() => setAsking(false)} />
        </div>
      )}
    </>
  );
}

/** Why it cannot be merged, with the files that conflict as far as they are known. */
function Refused({ place, request, error, canAsk }: Props & { error: Error | null; canAsk: boolean }) {
  const { state, mergeable, base_ref: base } = request;
  const paths = error instanceof ApiError ? conflictsOf(error) : [];
  const hasConflicts = state === 'open' && (!mergeable || paths.length > 0);
  if (!hasConflicts && error === null) return null;
  return (
    <div className="flex w-full flex-col gap-2">
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
