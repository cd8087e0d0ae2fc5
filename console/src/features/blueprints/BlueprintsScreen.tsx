import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { buttonClass } from '../../ui/Button.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { blueprintsQuery, type Blueprint } from './queries.ts';

/** What each agent is made of and given, as a document. */
export function BlueprintsScreen() {
  const { org } = useParams({ from: '/$org/blueprints' });
  return (
    <Guarded org={org} scope="org:read">
      <Blueprints org={org} />
    </Guarded>
  );
}

function Blueprints({ org }: { org: string }) {
  const query = useInfiniteQuery(blueprintsQuery(org));
  const href = `/v3/organizations/${encodeURIComponent(org)}/blueprints/export`;
  return (
    <Page
      title="Blueprints"
      total={query.data?.pages[0]?.total}
      actions={
        <a className={buttonClass()} href={href} download="blueprints.json">
          Export all
        </a>
      }
    >
      <DataTable
        label="Blueprints"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ id }) => id}
        empty={
          <Empty
            action={
              <Link to="/$org/agents" params={{ org }} className={buttonClass()}>
                To the agents
              </Link>
            }
          >
            A blueprint is all that an agent is made of and given: its prompt, tools, skills, knowledge and sandbox.
            Each agent has one.
          </Empty>
        }
      />
    </Page>
  );
}

function columnsOf(org: string): readonly Column<Blueprint>[] {
  return [
    {
      name: 'Agent',
      cell: ({ id, name }) => (
        <Link to="/$org/blueprints/$id" params={{ org, id }} className={rowLink} title={name}>
          {name}
        </Link>
      ),
    },
    { name: 'Version', width: '72px', align: 'end', cell: ({ version }) => <code>{version}</code> },
    {
      name: 'Digest',
      wide: true,
      cell: ({ digest }) => <code title={digest}>{digest.replace('sha256:', '').slice(0, 16)}</code>,
    },
    { name: 'Made', width: '112px', cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}
