import { Link } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useCan } from '../shell/useCan.ts';
import { reviewsPath, type Finding } from './queries.ts';
import { useDecision } from './useDecision.ts';

interface Props {
  org: string;
  finding: Finding;
  dismiss: () => void;
}

/** What can be done about a finding: start a session that fixes it, dismiss it, or take that back. */
export function FindingActions({ org, finding, dismiss }: Props) {
  const { id: findingId, review_id: id, status, fix_session_id: session } = finding;
  const canWrite = useCan(org, 'reviews:write');
  const canRead = useCan(org, 'sessions:read') && session !== '';
  const decide = useDecision(org, finding);
  const fix = useAction({
    call: () =>
      unwrap(
        apiOf(org).POST(`${reviewsPath}/{id}/findings/{findingId}/fix`, {
          params: { path: { id, findingId } },
          body: {},
        }),
      ),
    touches: [keys.all(org, 'reviews'), keys.all(org, 'sessions')],
    says: 'A session fixes it, and proposes its change into the branch of this change request.',
  });
  if (!canRead && (!canWrite || status === 'resolved')) return null;
  return (
    <p className="flex flex-wrap items-center gap-2">
      {canWrite && status === 'open' && session === '' && (
        <Button disabled={fix.isPending} onClick={() => fix.mutate()}>
          {fix.isPending ? 'Starting …' : 'Fix with a session'}
        </Button>
      )}
      {canWrite && status === 'open' && <Button onClick={dismiss}>Dismiss</Button>}
      {canWrite && status === 'dismissed' && (
        <Button disabled={decide.isPending} onClick={() => decide.mutate({ status: 'open', reason: '' })}>
          Open again
        </Button>
      )}
      {canRead && (
        <Link
          to="/$org/sessions/$id"
          params={{ org, id: session }}
          className="inline-flex min-h-8 items-center underline pointer-coarse:min-h-11"
        >
          The session that fixes it
        </Link>
      )}
    </p>
  );
}
