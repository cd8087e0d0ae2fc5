import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActions } from '../../lib/actions.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect, SearchField } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { RepositoryChoice } from '../repositories/RepositoryField.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { isScope, kinds, scopes, secretFiltersOf, secretsQuery, type Secret, type SecretFilters } from './queries.ts';
import { givenTo } from './words.ts';

/** The names of the organization's secrets. Nothing shows a value. */
export function SecretsScreen() {
  const { org } = useParams({ from: '/$org/secrets' });
  return (
    <Guarded org={org} scope="secrets:read">
      <Secrets org={org} />
    </Guarded>
  );
}

function Secrets({ org }: { org: string }) {
  const filters = useSearch({ from: '/$org/secrets' });
  const navigate = useNavigate({ from: '/$org/secrets' });
  const set = (change: { [Name in keyof SecretFilters]: SecretFilters[Name] | undefined }) =>
    void navigate({ search: (before) => secretFiltersOf({ ...before, ...change }), replace: true });
  const query = useInfiniteQuery(secretsQuery(org, filters));
  const canWrite = useCan(org, 'secrets:write');
  useActions(
    'Secrets',
    canWrite
      ? [
          { label: 'New secret', key: 'n', act: () => void navigate({ to: '/$org/secrets/new', params: { org } }) },
          { label: 'Paste .env', act: () => void navigate({ to: '/$org/secrets/paste', params: { org } }) },
        ]
      : [],
  );
  const actions = canWrite && (
    <>
      <Link to="/$org/secrets/paste" params={{ org }} className={buttonClass()}>
        Paste .env
      </Link>
      <Link to="/$org/secrets/new" params={{ org }} className={buttonClass('primary')}>
        New secret
      </Link>
    </>
  );
  return (
    <Page title="Secrets" total={query.data?.pages[0]?.total} actions={actions}>
      <Filters>
        <SearchField label="Search secrets" value={filters.q} onChange={(q) => set({ q })} />
        <FilterSelect
          label="For"
          value={filters.scope}
          options={scopes}
          onChange={(scope) => set({ scope: isScope(scope) ? scope : undefined })}
        />
        <RepositoryChoice org={org} label="Repository" value={filters.repo ?? ''} onChange={(repo) => set({ repo })} />
      </Filters>
      <DataTable
        label="Secrets"
        query={query}
        columns={columnsOf(org)}
        keyOf={(secret) => secret.id}
        clear={Object.keys(filters).length > 0 ? () => void navigate({ search: {} }) : undefined}
        empty={
          <Empty action={actions && <div className="flex gap-2">{actions}</div>}>
            A secret is a value that sessions can use, such as a token. Once it is stored, nobody can read it here.
          </Empty>
        }
      />
    </Page>
  );
}

const kindWords = new Map<string, string>(kinds);

function columnsOf(org: string): readonly Column<Secret>[] {
  return [
    {
      name: 'Name',
      cell: ({ id, key }) => (
        <Link to="/$org/secrets/$id" params={{ org, id }} className={`${rowLink} font-mono`} title={key}>
          {key}
        </Link>
      ),
    },
    { name: 'For', width: 'minmax(0,0.6fr)', cell: givenTo },
    { name: 'Kind', wide: true, cell: ({ kind }) => <span className="text-ink-2">{kindWords.get(kind)}</span> },
    {
      name: 'Value',
      wide: true,
      width: '144px',
      cell: ({ exposure }) => (exposure === 'broker' ? 'stays outside' : 'enters the sandbox'),
    },
    { name: 'Version', wide: true, width: '64px', align: 'end', cell: ({ version }) => <code>{version}</code> },
    {
      name: 'Last used',
      wide: true,
      width: '96px',
      cell: ({ last_used_at: at }) => (at === null ? <span className="text-ink-3">never</span> : <Time at={at} />),
    },
  ];
}
