import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { recall, remember } from '../../lib/storage.ts';
import { useAction } from '../../lib/useAction.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { proofOf } from './proof.ts';
import { requestPath, type ChangeRequest, type Place } from './queries.ts';

type Method = 'merge' | 'squash';

/** The two ways in which a change request ends. Both ask first, since both are final. */
export function useEnding({ place, request }: { place: Place; request: ChangeRequest }) {
  const { org, repository: id, number } = place;
  const { base_ref: base, evidence } = request;
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
  const askMerge = async () => {
    const unproven = proofOf(evidence).tone === 'ok' ? '' : 'No check has proven this change. ';
    const squashed = method === 'squash' ? 'All its commits become one. ' : '';
    const yes = await confirm({
      title: `Merge #${number} into ${base}?`,
      text: `${unproven}${squashed}A merge is final; its branch stays.`,
      action: method === 'squash' ? 'Squash and merge' : 'Merge',
      look: 'primary',
    });
    if (yes) merge.mutate();
  };
  const askClose = async () => {
    const text = 'It cannot be opened again. Its branch stays, and its session can open another.';
    if (await confirm({ title: `Close #${number}?`, text, action: 'Close' })) close.mutate();
  };
  return {
    method,
    choose: (next: Method) => {
      setMethod(next);
      remember('merge-method', next === 'merge' ? undefined : next);
    },
    isMerging: merge.isPending,
    error: merge.error,
    merge: () => void askMerge(),
    close: () => void askClose(),
  };
}
