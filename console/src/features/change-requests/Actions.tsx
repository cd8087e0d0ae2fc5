import { useState } from 'react';
import { useActions } from '../../lib/actions.ts';
import { ApiError, apiOf, unwrap } from '../../lib/api.ts';
import { recall, remember } from '../../lib/storage.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { useCan } from '../shell/useCan.ts';
import { AskForm } from './AskForm.tsx';
import { conflictsOf, conflictRequest } from './conflicts.ts';
import { proofOf } from './proof.ts';
import { requestPath, type ChangeRequest, type Place } from './queries.ts';

type Method = 'merge' | 'squash';

interface Props {
  place: Place;
  request: ChangeRequest;
}

/** What becomes of a change request: merge it, send it back to its session, or close it. */
export function Actions({ place, request }: Props) {
  const { org, repository: id, number } = place;
  const { state, mergeable, session_id: session, base_ref: base, evidence } = request;
  const canWrite = useCan(org, 'repos:write') && state === 'open';
  const canAsk = useCan(org, 'run') && session !== '';
  const [isAsking, setAsking] = useState(false);
  const [method, setMethod] = useState<Method>(() => (recall('merge-method') === 'squash' ? 'squash' : 'merge'));
  const confirm = useConfirm();
  const params = { path: { id, number } };
  const touches = [
    [org, 'change-requests'],
    [org, 'sessions'],
  ];
  const merge = useAction({
    call: () => unwrap(apiOf(org).POST(`${requestPath}/merge`, { params, body: { method } })),
    touches,
    says: `Merged #${number} into ${base}.`,
    errors: 'here',
  });
  const close = useAction({
    call: () => unwrap(apiOf(org).POST(`${requestPath}/close`, { params })),
    touches,
    says: `Closed #${number}.`,
  });
  const choose = (next: Method) => {
    setMethod(next);
    remember('merge-method', next === 'merge' ? undefined : next);
  };
  const askMerge = async () => {
    const { tone } = proofOf(evidence);
    const yes = await confirm({
      title: `Merge #${number} into ${base}?`,
      text: `${tone === 'ok' ? '' : 'No check has proven this change. '}${method === 'squash' ? 'All its commits become one. ' : ''}A merge is final; its branch stays.`,
      action: method === 'squash' ? 'Squash and merge' : 'Merge',
      look: 'primary',
    });
    if (yes) merge.mutate();
  };
  const askClose = async () => {
    const text = 'It cannot be opened again. Its branch stays, and its session can open another.';
    if (await confirm({ title: `Close #${number}?`, text, action: 'Close' })) close.mutate();
  };
  const canMerge = canWrite && mergeable && !merge.isPending;
  useActions('Change request', [
    ...(canMerge ? [{ label: 'Merge', key: 'm', act: () => void askMerge() }] : []),
    ...(canAsk ? [{ label: 'Send back to the session', key: 'r', act: () => setAsking(true) }] : []),
    ...(canWrite ? [{ label: 'Close the change request', act: () => void askClose() }] : []),
  ]);
  const paths = merge.error instanceof ApiError ? conflictsOf(merge.error) : [];
  const hasConflicts = state === 'open' && (!mergeable || paths.length > 0);
  return (
    <>
      {canAsk && (
        <Button aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
          Send back
        </Button>
      )}
      {canWrite && (
        <span className="flex">
          <Button look="primary" disabled={!canMerge} onClick={() => void askMerge()} className="rounded-r-none">
            {merge.isPending ? 'Merging …' : method === 'squash' ? 'Squash and merge' : 'Merge'}
          </Button>
          <select
            aria-label="How to merge"
            value={method}
            onChange={({ target }) => choose(target.value === 'squash' ? 'squash' : 'merge')}
            className="h-8 w-8 rounded-r-control border border-l-on-accent border-accent bg-accent text-on-accent pointer-coarse:h-11 pointer-coarse:w-11"
          >
            <option value="merge">A merge commit</option>
            <option value="squash">One squashed commit</option>
          </select>
        </span>
      )}
      <Menu label="More" items={[canWrite && { label: 'Close', danger: true, select: () => void askClose() }]} />
      {(merge.isError || hasConflicts || isAsking) && (
        <div className="flex w-full flex-col gap-2">
          {merge.isError && (
            <p role="alert" className="border-l-2 border-bad bg-bad-soft px-3 py-2">
              {merge.error.message}
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
          {isAsking && (
            <AskForm
              org={org}
              session={session}
              draft={`ask/${id}/${number}`}
              label="What should the session change?"
              textOf={(text) => `About change request #${number}:\n\n${text}`}
              close={() => setAsking(false)}
            />
          )}
        </div>
      )}
    </>
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
