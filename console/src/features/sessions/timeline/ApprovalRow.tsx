import { useMutation } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { failureOf } from '../../../lib/errors.ts';
import { Button } from '../../../ui/Button.tsx';
import { useCan } from '../../shell/useCan.ts';
import { Markdown } from './Markdown.tsx';
import type { RowOf } from './rows.ts';

const path = '/v3/organizations/{orgId}/sessions/{id}/approvals/{approvalId}';
const words = {
  pending: 'waits for your approval',
  approved: 'approved',
  denied: 'denied',
  expired: 'denied, as nobody decided in time',
} as const;

/** A plan or a call that somebody must approve; afterwards one line. */
export function ApprovalRow({ org, session, row: { is } }: { org: string; session: string; row: RowOf<'approval'> }) {
  const canRun = useCan(org, 'run');
  const decide = useMutation({
    mutationFn: (decision: 'approve' | 'deny') =>
      unwrap(
        apiOf(org).POST(path, { params: { path: { id: session, approvalId: is.approval_id } }, body: { decision } }),
      ),
  });
  const isPending = is.state === 'pending';
  return (
    <section aria-label="Approval" className="my-1 rounded-control border border-wait bg-wait-soft px-3 py-2">
      <p className="font-medium text-wait">
        {is.kind === 'plan' ? 'The plan' : 'A tool call'} {words[is.state]}
      </p>
      {is.request !== '' && <Markdown text={is.request} />}
      {!isPending && is.summary !== '' && is.summary !== is.request && <p className="text-ink-2">{is.summary}</p>}
      {isPending && canRun && (
        <p className="flex gap-2 pt-2">
          <Button look="primary" disabled={decide.isPending} onClick={() => decide.mutate('approve')}>
            Approve
          </Button>
          <Button disabled={decide.isPending} onClick={() => decide.mutate('deny')}>
            Deny
          </Button>
        </p>
      )}
      {decide.isError && <p role="alert">{failureOf(decide.error).message}</p>}
    </section>
  );
}
