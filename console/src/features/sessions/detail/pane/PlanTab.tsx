import { useQuery } from '@tanstack/react-query';
import type { Schemas, Session } from '../../../../lib/api.ts';
import { Empty, Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { Time } from '../../../../ui/Time.tsx';
import { approvalsQuery } from '../../queries.ts';
import { Markdown } from '../../timeline/Markdown.tsx';
import { Plan } from '../../timeline/rows/Line.tsx';
import { ApprovalCard } from '../ApprovalCard.tsx';
import { UnsentTexts } from '../UnsentTexts.tsx';
import { plansQuery } from '../queries.ts';

/** The plan as it is now, what must be approved, and what was decided. */
export function PlanTab({ org, session }: { org: string; session: Session }) {
  const plans = useQuery(plansQuery(org, session.id, session.last_seq));
  const approvals = useQuery(approvalsQuery(org, session.id));
  if (plans.isPending || approvals.isPending) return <SkeletonRows rows={6} height={32} />;
  if (plans.data === undefined || approvals.data === undefined)
    return (
      <Failed
        error={plans.error ?? approvals.error}
        retry={() => void Promise.all([plans.refetch(), approvals.refetch()])}
      />
    );
  const [newest, ...older] = plans.data.toReversed();
  const pending = approvals.data.filter(({ state }) => state === 'pending');
  const decided = approvals.data.filter(({ state }) => state !== 'pending');
  if (newest === undefined && approvals.data.length === 0)
    return <Empty>The agent made no plan. When it makes one, or asks for an approval, it stands here.</Empty>;
  return (
    <div className="flex flex-col gap-6 overflow-auto px-4 py-4">
      {pending.map((approval) => (
        <ApprovalCard key={approval.id} org={org} approval={approval} />
      ))}
      {newest !== undefined && (
        <section aria-label="Steps">
          <Plan entries={newest.data.entries} />
          <p className="px-3 text-meta text-ink-3">
            Turn {newest.turn}, changed <Time at={newest.created_at} />
          </p>
        </section>
      )}
      {decided.map((approval) => (
        <Decided key={approval.id} approval={approval} />
      ))}
      {older.length > 0 && (
        <details>
          <summary className="min-h-6 cursor-pointer text-ink-3 pointer-coarse:min-h-11">
            {older.length === 1 ? 'One earlier state' : `${older.length} earlier states`}
          </summary>
          {older.slice(0, 20).map(({ seq, turn, created_at: at, data }) => (
            <section key={seq} className="border-t border-line py-2">
              <p className="px-3 text-meta text-ink-3">
                Turn {turn}, <Time at={at} />
              </p>
              <Plan entries={data.entries} />
            </section>
          ))}
        </details>
      )}
    </div>
  );
}

const words = {
  pending: 'waits',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Denied, as nobody decided',
} as const;

function Decided({ approval }: { approval: Schemas['Approval'] }) {
  const { id, state, kind, request, decided_by: by, decided_at: at, note, edited_plan: edited } = approval;
  return (
    <div role="group" aria-label="Decision" className="border-l-2 border-line px-3">
      <p>
        <span className={state === 'approved' ? 'font-medium' : 'font-medium text-bad'}>{words[state]}</span>{' '}
        {kind === 'plan' ? 'the plan' : <code>{request.tool}</code>}
        {edited !== '' && ', edited'}
        <span className="text-ink-3">
          {by !== null && ` by ${by.name === '' ? 'somebody who is gone' : by.name}`} {at !== null && <Time at={at} />}
        </span>
      </p>
      {note !== '' && <p className="break-words text-ink-2">{note}</p>}
      <UnsentTexts id={id} by={by} />
      {kind === 'plan' && (
        <details>
          <summary className="min-h-6 cursor-pointer text-ink-3 pointer-coarse:min-h-11">The plan</summary>
          <Markdown text={edited === '' ? request.plan : edited} />
        </details>
      )}
    </div>
  );
}
