import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect, SearchField } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { membersQuery, type Member, type MemberFilters } from './queries.ts';
import { permissions, permissionWord } from './words.ts';

export interface PeopleProps {
  org: string;
  filters: MemberFilters;
  onFilter: (filters: MemberFilters) => void;
}

/** The members that fit the filters. */
export function People({ org, filters, onFilter }: PeopleProps) {
  const query = useInfiniteQuery(membersQuery(org, filters));
  const { q, permission } = filters;
  const change = (next: { q?: string | undefined; permission?: string | undefined }) => {
    const { q: text, permission: only } = { q, permission, ...next };
    onFilter({ ...(text === undefined ? {} : { q: text }), ...(only === undefined ? {} : { permission: only }) });
  };
  return (
    <>
      <div className="pt-3">
        <Filters>
          <SearchField label="Find by name or address" value={q} onChange={(text) => change({ q: text })} />
          <FilterSelect
            label="Permission"
            value={permission}
            options={permissions.map(([id, word]) => [id, word])}
            onChange={(only) => change({ permission: only })}
          />
        </Filters>
      </div>
      <DataTable
        label="Members"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ user_id: id }) => id}
        clear={q === undefined && permission === undefined ? undefined : () => onFilter({})}
        empty={<Empty>Nobody is a member.</Empty>}
      />
    </>
  );
}

function columnsOf(org: string): Column<Member>[] {
  return [
    {
      name: 'Name',
      cell: ({ user_id: userId, name, email }) => (
        <>
          <Link to="/$org/members/$userId" params={{ org, userId }} className={rowLink}>
            {name === '' ? email : name}
          </Link>{' '}
          {name !== '' && <span className="text-ink-3">{email}</span>}
        </>
      ),
    },
    {
      name: 'Permission',
      width: '112px',
      cell: ({ permission }) => (permission === 'admin' ? <Chip>Administrator</Chip> : permissionWord(permission)),
    },
    { name: 'Role', width: '80px', wide: true, cell: ({ role }) => (role === 'pro' ? 'Pro' : 'Regular') },
    { name: 'Joined', width: '112px', wide: true, align: 'end', cell: ({ joined_at: at }) => <Time at={at} /> },
    {
      name: 'Last active',
      width: '112px',
      wide: true,
      align: 'end',
      cell: ({ last_active_at: at }) => (at === null ? 'never' : <Time at={at} />),
    },
  ];
}
