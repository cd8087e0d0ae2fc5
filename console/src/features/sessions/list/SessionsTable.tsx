import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Session } from '../../../lib/api.ts';
import type { Column } from '../../../ui/column.ts';
import { DataTable, rowLink } from '../../../ui/DataTable.tsx';
import { Money } from '../../../ui/Money.tsx';
import { PhaseRail } from '../../../ui/PhaseRail.tsx';
import { RepositoryName } from '../../../ui/RepositoryName.tsx';
import { Time } from '../../../ui/Time.tsx';
import { sessionsQuery } from '../queries.ts';
import { StateLabel } from '../StateLabel.tsx';
import { notchesOf } from '../state.ts';
import { BulkBar } from './BulkBar.tsx';
import { RequestChip } from './RequestChip.tsx';
import { UnreadDot } from './UnreadDot.tsx';
import type { Filters } from './filters.ts';

interface Props {
  org: string;
  filters: Filters;
  /** Given to who may change sessions: rows can then be selected. */
  canRun: boolean;
  empty: ReactNode;
  clear: (() => void) | undefined;
}

/** The sessions as rows, which can be selected and changed together. */
export function SessionsTable({ org, filters, canRun, empty, clear }: Props) {
  const query = useInfiniteQuery(sessionsQuery(org, filters));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const sessions = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const chosen = sessions.filter(({ id }) => selected.has(id));
  const selection = { selected, onChange: setSelected, nameOf: ({ title }: Session) => title };
  return (
    <>
      <DataTable
        label="Sessions"
        query={query}
        columns={columnsOf(org, filters)}
        keyOf={({ id }) => id}
        empty={empty}
        clear={clear}
        calm={JSON.stringify(filters)}
        selection={canRun ? selection : undefined}
      />
      {canRun && <BulkBar org={org} chosen={chosen} select={setSelected} />}
    </>
  );
}

function columnsOf(org: string, { sort }: Filters): Column<Session>[] {
  return [
    { name: 'Session', cell: (session) => <Title org={org} session={session} /> },
    { name: 'State', width: '168px', wide: true, cell: (session) => <StateLabel session={session} /> },
    {
      name: 'Now',
      width: 'minmax(0,0.4fr)',
      wide: 'lg',
      cell: (session) => <span className="text-ink-2">{isActive(session) && session.activity.text}</span>,
    },
    { name: 'Change', width: '64px', wide: 'lg', cell: (session) => <RequestChip org={org} session={session} /> },
    {
      name: 'Cost',
      width: '72px',
      wide: true,
      align: 'end',
      cell: ({ usage }) => <Money usd={usage.cost_usd} />,
    },
    {
      name: sort === undefined ? 'Begun' : 'Changed',
      width: '96px',
      wide: 'lg',
      align: 'end',
      cell: ({ created_at: begun, updated_at: changed }) => <Time at={sort === undefined ? begun : changed} />,
    },
  ];
}

function isActive({ status, activity }: Session): boolean {
  return ['provisioning', 'running'].includes(status) && activity.text !== '';
}

function Title({ org, session }: { org: string; session: Session }) {
  const { id, title, unread, repositories, created_by: creator, created_at: at } = session;
  return (
    <div className="flex items-center gap-3">
      <span className="hidden shrink-0 sm:block">
        <PhaseRail notches={notchesOf(session)} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2">
          {unread && <UnreadDot />}
          <Link to="/$org/sessions/$id" params={{ org, id }} className={`truncate ${rowLink}`}>
            {title}
          </Link>
        </p>
        <p className="flex gap-2 text-meta text-ink-3">
          <span className="md:hidden">
            <StateLabel session={session} />
          </span>
          {repositories[0] !== undefined && <RepositoryName repo={repositories[0].repo} />}
          <span className="hidden truncate md:inline">{creator.name}</span>
          <span className="lg:hidden">
            <Time at={at} />
          </span>
        </p>
      </div>
    </div>
  );
}
