import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { count } from '../../lib/format.ts';
import { useActions } from '../../lib/actions.ts';
import { buttonClass } from '../../ui/Button.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Meter } from '../../ui/Meter.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { groupsQuery, groupUsageQuery, type Group } from './queries.ts';
import { levelsOf, tightest } from './usage.ts';

/** The groups of members, with what is left of their limits today. */
export function GroupsScreen() {
  const { org } = useParams({ from: '/$org/groups' });
  return (
    <Guarded org={org} scope="org:read">
      <Groups org={org} />
    </Guarded>
  );
}

function Groups({ org }: { org: string }) {
  const query = useInfiniteQuery(groupsQuery(org));
  const canChange = useCan(org, 'org:write');
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/$org/groups/new', params: { org } });
  useActions('Groups', canChange ? [{ label: 'New group', key: 'n', act: create }] : []);
  const link = (look: 'primary' | 'quiet') =>
    canChange && (
      <Link to="/$org/groups/new" params={{ org }} className={buttonClass(look)}>
        New group
      </Link>
    );
  return (
    <Page title="Groups" total={query.data?.pages[0]?.total} actions={link('primary')}>
      <DataTable
        label="Groups"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ id }) => id}
        empty={
          <Empty action={link('quiet')}>
            A group limits what its members together use in a day: cost, tokens, sessions, sandbox time. There are none
            yet.
          </Empty>
        }
      />
    </Page>
  );
}

function columnsOf(org: string): Column<Group>[] {
  return [
    {
      name: 'Name',
      cell: ({ id, name, description }) => (
        <>
          <Link to="/$org/groups/$id" params={{ org, id }} className={rowLink}>
            {name}
          </Link>{' '}
          <span className="text-ink-3">{description}</span>
        </>
      ),
    },
    { name: 'Members', width: '72px', align: 'end', cell: ({ member_count: members }) => count(members) },
    { name: 'Today', width: '224px', wide: true, cell: ({ id }) => <Today org={org} id={id} /> },
  ];
}

/** The limit that the group will reach first today. */
function Today({ org, id }: { org: string; id: string }) {
  const { data } = useQuery(groupUsageQuery(org, id));
  if (data === undefined) return null;
  const level = tightest(levelsOf(data));
  if (level === undefined) return <span className="text-ink-3">no limits</span>;
  const { label, share, used, reserved, limit, write } = level;
  const text = `${label}: ${write(used + reserved)} of ${write(limit ?? 0)}`;
  return (
    <span className="flex flex-col gap-0.5">
      <span className="truncate text-meta text-ink-2">{text}</span>
      <Meter label={`Use of the limit on ${label.toLowerCase()} today`} share={share} text={text} />
    </span>
  );
}
