import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActions } from '../../lib/actions.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, SearchField } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { OnFilter } from '../../ui/OnOff.tsx';
import { Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { secretsOf } from './lines.ts';
import { accesses, serversQuery, type Server } from './queries.ts';

/** The servers whose tools sessions can use. */
export function ServersScreen() {
  const { org } = useParams({ from: '/$org/mcp-servers' });
  return (
    <Guarded org={org} scope="plugins:read">
      <Servers org={org} />
    </Guarded>
  );
}

function Servers({ org }: { org: string }) {
  const filters = useSearch({ from: '/$org/mcp-servers' });
  const navigate = useNavigate({ from: '/$org/mcp-servers' });
  const query = useInfiniteQuery(serversQuery(org, filters));
  const canWrite = useCan(org, 'plugins:write');
  useActions(
    'MCP servers',
    canWrite
      ? [
          {
            label: 'New MCP server',
            key: 'n',
            act: () => void navigate({ to: '/$org/mcp-servers/new', params: { org } }),
          },
        ]
      : [],
  );
  const add = canWrite && (
    <Link to="/$org/mcp-servers/new" params={{ org }} className={buttonClass('primary')}>
      New MCP server
    </Link>
  );
  const set = (q: string | undefined, on: string | undefined) =>
    void navigate({
      search: { ...(q === undefined ? {} : { q }), ...(on === undefined ? {} : { on }) },
      replace: true,
    });
  return (
    <Page title="MCP servers" total={query.data?.pages[0]?.total} actions={add}>
      <Filters>
        <SearchField label="Search MCP servers" value={filters.q} onChange={(q) => set(q, filters.on)} />
        <OnFilter value={filters.on} onChange={(on) => set(filters.q, on)} />
      </Filters>
      <DataTable
        label="MCP servers"
        query={query}
        columns={columnsOf(org)}
        keyOf={(server) => server.id}
        clear={Object.keys(filters).length > 0 ? () => void navigate({ search: {} }) : undefined}
        empty={
          <Empty action={add}>
            An MCP server speaks the Model Context Protocol (MCP). Agents can use its tools in the sessions that you
            choose.
          </Empty>
        }
      />
    </Page>
  );
}

const accessWords = new Map<string, string>(accesses);

function columnsOf(org: string): readonly Column<Server>[] {
  return [
    {
      name: 'Server',
      cell: ({ id, name }) => (
        <Link to="/$org/mcp-servers/$id" params={{ org, id }} className={rowLink} title={name}>
          {name}
        </Link>
      ),
    },
    {
      name: 'Reached by',
      wide: true,
      cell: ({ url, command }) => <code title={url || command}>{url || command}</code>,
    },
    {
      name: 'For',
      wide: true,
      width: 'minmax(0,0.6fr)',
      cell: ({ access }) => <span className="text-ink-2">{accessWords.get(access)}</span>,
    },
    {
      name: 'State',
      width: '144px',
      cell: (server) => {
        const missing = secretsOf(server).filter(({ isSet }) => !isSet).length;
        if (!server.enabled) return <Chip>Off</Chip>;
        if (missing === 0) return <Chip tone="run">On</Chip>;
        return <Chip tone="wait">{missing === 1 ? '1 secret missing' : `${missing} secrets missing`}</Chip>;
      },
    },
  ];
}
