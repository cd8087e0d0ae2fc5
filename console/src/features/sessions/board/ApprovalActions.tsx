import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiOf, unwrap, type Schemas, type Session } from '../../../lib/api.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button, buttonClass } from '../../../ui/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Time } from '../../../ui/Time.tsx';
import { approvalsQuery } from '../queries.ts';
import { askedOf, isWhole } from './asked.ts';

const path = '/v3/organizations/{orgId}/sessions/{id}/approvals/{approvalId}';

interface Props {
  org: string;
  session: Session;
  canRun: boolean;
}

/** What a session asks to be allowed, and the decision about it. */
export function ApprovalActions({ org, session, canRun }: Props) {
  const { data: approvals = [] } = useQuery(approvalsQuery(org, session.id));
  const approval = approvals.find(({ state }) => state === 'pending');
  if (approval === undefined) return null;
  return <Asked org={org} session={session} canRun={canRun} approval={approval} />;
}

function Asked({ org, session, canRun, approval }: Props & { approval: Schemas['Approval'] }) {
  const { id } = session;
  const { id: approvalId, kind, expires_at: end } = approval;
  const asked = askedOf(approval);
  // Nobody allows a call of which they see a part.
  const canApprove = canRun && (kind === 'plan' || isWhole(asked));
  const decide = useAction({
    call: (decision: 'approve' | 'deny') =>
      unwrap(apiOf(org).POST(path, { params: { path: { id, approvalId } }, body: { decision } })),
    touches: [[org, 'sessions']],
    says: ({ state }) => (state === 'approved' ? `Approved: ${session.title}` : `Denied: ${session.title}`),
  });
  return (
    <div className="flex flex-col gap-2">
      <p className={cx('break-words text-ink-2', kind === 'plan' && 'line-clamp-3')}>{asked}</p>
      <p className="flex flex-wrap items-center gap-2">
        {canApprove && (
          <Button look="primary" disabled={decide.isPending} onClick={() => decide.mutate('approve')}>
            {kind === 'plan' ? 'Approve' : 'Allow'}
          </Button>
        )}
        {canRun && kind === 'tool' && (
          <Button disabled={decide.isPending} onClick={() => decide.mutate('deny')}>
            Deny
          </Button>
        )}
        <Link to="/$org/sessions/$id" params={{ org, id }} className={buttonClass()}>
          Look
        </Link>
        <span className="text-meta text-ink-3">
          expires <Time at={end} />
        </span>
      </p>
    </div>
  );
}
