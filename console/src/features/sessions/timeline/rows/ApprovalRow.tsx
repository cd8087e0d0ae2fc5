import { useQuery } from '@tanstack/react-query';
import { ApprovalCard } from '../../detail/ApprovalCard.tsx';
import { UnsentTexts } from '../../detail/UnsentTexts.tsx';
import { approvalsQuery } from '../../queries.ts';
import { Markdown } from '../Markdown.tsx';
import type { RowOf } from '../rows.ts';
import { Fold } from './Fold.tsx';

const words = { approved: 'approved', denied: 'denied', expired: 'denied, as nobody decided in time' } as const;

interface Props {
  org: string;
  session: string;
  row: RowOf<'approval'>;
  isOpen: boolean;
  toggle: () => void;
}

/** A plan or a call that somebody must approve; afterwards one line. */
export function ApprovalRow({ org, session, row: { is }, isOpen, toggle }: Props) {
  const { data: approvals = [] } = useQuery(approvalsQuery(org, session));
  const approval = approvals.find(({ id }) => id === is.approval_id);
  const what = is.kind === 'plan' ? 'The plan' : 'A tool call';
  // Either may be read first.
  const state = is.state === 'pending' ? (approval?.state ?? is.state) : is.state;
  if (state === 'pending') {
    if (approval?.state === 'pending') return <ApprovalCard org={org} approval={approval} />;
    return <p className="px-3 py-1 font-medium text-wait">{what} waits for your approval</p>;
  }
  const by = approval?.decided_by?.name ?? '';
  const asked = approval?.request.tool ?? '';
  return (
    <>
      <Fold
        isOpen={isOpen}
        toggle={toggle}
        head={
          <span className="truncate text-ink-2">
            {asked === '' ? what : asked}: {words[state]}
            {by !== '' && ` by ${by}`}
          </span>
        }
      >
        <div className="py-1 pr-3 pl-3">
          {is.request !== '' && <Markdown text={is.request} />}
          {is.summary !== '' && is.summary !== is.request && <p className="text-ink-2">{is.summary}</p>}
        </div>
      </Fold>
      <UnsentTexts id={is.approval_id} by={approval?.decided_by} />
    </>
  );
}
