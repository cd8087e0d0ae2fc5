import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActions } from '../../lib/actions.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { webhooksQuery, type Webhook } from './queries.ts';
import { eventsWord, hookState } from './words.ts';

/** Where the organization sends its events. */
export function WebhooksScreen() {
  const { org } = useParams({ from: '/$org/webhooks' });
  const canWrite = useCan(org, 'org:write');
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/$org/webhooks/new', params: { org } });
  useActions('Webhooks', canWrite ? [{ label: 'New webhook', key: 'n', act: create }] : []);
  return (
    <Page
      title="Webhooks"
      actions={
        canWrite && (
          <Link to="/$org/webhooks/new" params={{ org }} className={buttonClass('primary')}>
            New webhook
          </Link>
        )
      }
    >
      <Guarded org={org} scope="org:read">
        <div className="px-4 pb-3 sm:px-6">
          <Needs org={org} scope="org:write" what="Changing a webhook" />
        </div>
        <List org={org} canWrite={canWrite} />
      </Guarded>
    </Page>
  );
}

function List({ org, canWrite }: { org: string; canWrite: boolean }) {
  const query = useInfiniteQuery(webhooksQuery(org));
  const add = (
    <Link to="/$org/webhooks/new" params={{ org }} className={buttonClass()}>
      New webhook
    </Link>
  );
  return (
    <DataTable
      label="Webhooks"
      query={query}
      columns={columnsOf(org)}
      keyOf={({ id }) => id}
      empty={
        <Empty action={canWrite && add}>
          A webhook sends events, such as a session that ended, to a program of yours. There are none yet.
        </Empty>
      }
    />
  );
}

function columnsOf(org: string): Column<Webhook>[] {
  return [
    {
      name: 'Webhook',
      cell: ({ id, name, url }) => (
        <>
          <Link to="/$org/webhooks/$id" params={{ org, id }} className={`${rowLink} block truncate`}>
            {name === '' ? url : name}
          </Link>
          {name !== '' && <span className="mono block truncate text-meta text-ink-3">{url}</span>}
        </>
      ),
    },
    { name: 'Events', wide: true, cell: ({ events }) => <span className="text-ink-2">{eventsWord(events)}</span> },
    {
      name: 'State',
      width: 'minmax(88px,auto)',
      cell: (hook) => <Chip tone={hookState(hook).tone}>{hookState(hook).word}</Chip>,
    },
    { name: 'Changed', width: '104px', wide: true, align: 'end', cell: ({ updated_at: at }) => <Time at={at} /> },
  ];
}
