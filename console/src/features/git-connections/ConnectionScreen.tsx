import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Tagged } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { Chip } from '../../ui/Chip.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { ConnectionMenu } from './ConnectionMenu.tsx';
import { Credential } from './Credential.tsx';
import { Health } from './Health.tsx';
import { connectionQuery, type Connection } from './queries.ts';
import { ReachableRepositories } from './ReachableRepositories.tsx';
import { Webhook } from './Webhook.tsx';
import { stateOf } from './words.ts';

const from = '/$org/git-connections/$id' as const;

/** A git connection: if it works, what it reaches, and its credential. */
export function ConnectionScreen() {
  const { org, id } = useParams({ from });
  return (
    <Guarded org={org} scope="repos:read">
      <ReadConnection org={org} id={id} />
    </Guarded>
  );
}

function ReadConnection({ org, id }: { org: string; id: string }) {
  const query = useQuery(connectionQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Connection" />;
  return <OneConnection org={org} connection={query.data} />;
}

function OneConnection({ org, connection }: { org: string; connection: Tagged<Connection> }) {
  const { id, name, provider } = connection;
  const { tab = 'state', q = '' } = useSearch({ from });
  const navigate = useNavigate({ from });
  const canWrite = useCan(org, 'repos:write');
  const { word, tone } = stateOf(connection);
  return (
    <Page
      title={name}
      tab={`${name} · ${word}`}
      recent={name}
      back={
        <Link to="/$org/git-connections" params={{ org }} aria-label="All git connections" className={backLink}>
          ‹
        </Link>
      }
      actions={
        <>
          <Chip tone={tone}>{word}</Chip>
          {canWrite && provider !== 'local' && <ConnectionMenu org={org} connection={connection} />}
        </>
      }
    >
      <Tabs
        label="Parts of the git connection"
        value={tab}
        onChange={(next) => void navigate({ search: next === 'state' ? {} : { tab: next }, replace: true })}
        tabs={[
          {
            id: 'state',
            label: 'State',
            content: () => (
              <Body>
                <Health org={org} connection={connection} />
                {provider !== 'local' && <Webhook org={org} connection={connection} />}
                {canWrite && <Credential key={id} org={org} connection={connection} />}
                <Needs org={org} scope="repos:write" what="Verifying and changing it" />
              </Body>
            ),
          },
          {
            id: 'repositories',
            label: 'Repositories',
            content: () => (
              <ReachableRepositories
                org={org}
                connection={connection}
                search={q}
                setSearch={(next) =>
                  void navigate({ search: { tab: 'repositories', ...(next === '' ? {} : { q: next }) }, replace: true })
                }
              />
            ),
          },
        ]}
      />
    </Page>
  );
}
