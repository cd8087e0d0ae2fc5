import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Session } from '../../../../lib/api.ts';
import { useActions } from '../../../../lib/actions.ts';
import { Button } from '../../../../ui/Button.tsx';
import { useCan } from '../../../shell/useCan.ts';
import { hasDraft } from '../../approval-drafts.ts';
import { approvalsQuery } from '../../queries.ts';
import { changeRequestsQuery } from '../queries.ts';
import { useIsLost } from '../useIsLost.ts';
import { useStartAgain } from '../useStartAgain.ts';
import type { SessionActions } from './useSessionActions.ts';

interface Props {
  org: string;
  session: Session;
  actions: SessionActions;
  /** Leads to the field for a message. */
  answer: () => void;
  /** Shows the form for the limits. */
  raise: () => void;
}

/** The one thing that a person should do with a session now; nothing if there is none that they may do. */
export function MainAction({ org, session, actions, answer, raise }: Props) {
  const { id, attention, status } = session;
  const canRun = useCan(org, 'run');
  const canMerge = useCan(org, 'repos:write');
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const isLost = useIsLost(org, session);
  const { start: startAgain } = useStartAgain(org, session);
  const asked = useQuery({ ...approvalsQuery(org, id), enabled: attention === 'approval' });
  const { data: requests } = useQuery({
    ...changeRequestsQuery(org, id),
    enabled: session.change_requests.some(({ state }) => state === 'open'),
  });
  const pending = asked.data?.find(({ state }) => state === 'pending');
  const open = requests?.find(({ state }) => state === 'open');
  const decide = () => {
    // What a person wrote into the plan or the note is sent by its own button.
    if (pending === undefined || hasDraft(pending.id))
      void navigate({ search: (now) => ({ ...now, tab: 'plan' as const }), hash: true, replace: true });
    else actions.approve.mutate(pending);
  };
  const main =
    attention === 'approval' && canRun && !asked.isPending
      ? { word: pending?.kind === 'tool' ? `Allow ${pending.request.tool}` : 'Approve the plan', act: decide, key: 'a' }
      : attention === 'answer' && canRun
        ? { word: 'Answer', act: answer, key: '' }
        : attention === 'budget' && canRun
          ? { word: 'Raise budget', act: raise, key: '' }
          : open !== undefined && canMerge && status === 'completed'
            ? { word: `Merge #${open.number}`, act: () => void actions.askToMerge(open), key: '' }
            : status === 'failed' && canRun && isLost !== undefined
              ? isLost
                ? { word: 'Start again', act: startAgain, key: '' }
                : { word: 'Retry', act: () => actions.resume.mutate(), key: '' }
              : status === 'suspended' && canRun
                ? { word: 'Resume', act: () => actions.resume.mutate(), key: '' }
                : undefined;
  const canInterrupt = canRun && status === 'running' && !actions.isPending;
  useActions('Next for this session', [
    ...(main === undefined || actions.isPending
      ? []
      : [{ label: main.word, act: main.act, ...(main.key === '' ? {} : { key: main.key }) }]),
    ...(canInterrupt ? [{ label: 'Interrupt', key: 'i', act: () => actions.interrupt.mutate() }] : []),
  ]);
  if (main === undefined && status === 'running' && canRun)
    return (
      <Button disabled={actions.isPending} onClick={() => actions.interrupt.mutate()} title="Key i">
        Interrupt
      </Button>
    );
  if (main === undefined) return null;
  return (
    <Button look="primary" disabled={actions.isPending} onClick={main.act} className="max-w-48 truncate">
      {main.word}
    </Button>
  );
}
