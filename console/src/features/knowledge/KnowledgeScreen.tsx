import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActions } from '../../lib/actions.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect, SearchField } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { OnFilter, OnChip } from '../../ui/OnOff.tsx';
import { Page } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { RepositoryChoice } from '../repositories/RepositoryField.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { isScope, notesQuery, scopes, suggestionsQuery, type Note, type NoteFilters } from './queries.ts';
import { givenTo } from './words.ts';

/** The knowledge notes of the organization. */
export function KnowledgeScreen() {
  const { org } = useParams({ from: '/$org/knowledge' });
  return (
    <Guarded org={org} scope="knowledge:read">
      <Notes org={org} />
    </Guarded>
  );
}

function Notes({ org }: { org: string }) {
  const filters = useSearch({ from: '/$org/knowledge' });
  const navigate = useNavigate({ from: '/$org/knowledge' });
  const set = (change: { [Name in keyof NoteFilters]: NoteFilters[Name] | undefined }) =>
    void navigate({ search: (before) => withoutUndefined({ ...before, ...change }), replace: true });
  const query = useInfiniteQuery(notesQuery(org, filters));
  const canWrite = useCan(org, 'memory:write');
  useActions(
    'Knowledge',
    canWrite
      ? [
          { label: 'New note', key: 'n', act: () => void navigate({ to: '/$org/knowledge/new', params: { org } }) },
          { label: 'Import notes', act: () => void navigate({ to: '/$org/knowledge/import', params: { org } }) },
        ]
      : [],
  );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page title="Knowledge" total={query.data?.pages[0]?.total} actions={<Actions org={org} canWrite={canWrite} />}>
      <Filters>
        <SearchField label="Search notes" value={filters.q} onChange={(q) => set({ q })} />
        <FilterSelect
          label="For"
          value={filters.scope}
          options={scopes}
          onChange={(scope) => set({ scope: isScope(scope) ? scope : undefined })}
        />
        <RepositoryChoice
          org={org}
          label="Repository"
          value={filters.repo ?? ''}
          onChange={(repo) => set({ repo: repo === '' ? undefined : repo })}
        />
        <OnFilter value={filters.on} onChange={(on) => set({ on })} />
      </Filters>
      <DataTable
        label="Notes"
        query={query}
        columns={columnsOf(org)}
        keyOf={(note) => note.note_id}
        clear={isFiltered ? () => void navigate({ search: {} }) : undefined}
        empty={<NoNotes org={org} canWrite={canWrite} />}
      />
    </Page>
  );
}

function withoutUndefined(search: { [Name in keyof NoteFilters]: NoteFilters[Name] | undefined }): NoteFilters {
  const { q, scope, repo, on } = search;
  return {
    ...(q === undefined ? {} : { q }),
    ...(scope === undefined ? {} : { scope }),
    ...(repo === undefined ? {} : { repo }),
    ...(on === undefined ? {} : { on }),
  };
}

function Actions({ org, canWrite }: { org: string; canWrite: boolean }) {
  const { data } = useInfiniteQuery(suggestionsQuery(org, 'pending'));
  const waiting = data?.pages[0]?.total ?? 0;
  return (
    <>
      <Link to="/$org/knowledge/suggestions" params={{ org }} className={buttonClass('bare')}>
        {waiting === 0 ? 'Suggestions' : waiting === 1 ? '1 suggestion' : `${waiting} suggestions`}
      </Link>
      <a
        className={buttonClass('bare')}
        href={`/v3/organizations/${encodeURIComponent(org)}/knowledge/export`}
        download
      >
        Export
      </a>
      {canWrite && (
        <Link to="/$org/knowledge/import" params={{ org }} className={buttonClass('bare')}>
          Import
        </Link>
      )}
      <Link to="/$org/knowledge/try" params={{ org }} className={buttonClass()}>
        Try a prompt
      </Link>
      {canWrite && (
        <Link to="/$org/knowledge/new" params={{ org }} className={buttonClass('primary')}>
          New note
        </Link>
      )}
    </>
  );
}

function NoNotes({ org, canWrite }: { org: string; canWrite: boolean }) {
  return (
    <Empty
      action={
        canWrite && (
          <Link to="/$org/knowledge/new" params={{ org }} className={buttonClass('primary')}>
            New note
          </Link>
        )
      }
    >
      A note tells agents what they cannot read from the code. A session gets it when its prompt fits the note’s
      trigger.
    </Empty>
  );
}

function columnsOf(org: string): readonly Column<Note>[] {
  return [
    {
      name: 'Note',
      cell: ({ note_id: noteId, name }) => (
        <Link to="/$org/knowledge/$noteId" params={{ org, noteId }} className={rowLink} title={name}>
          {name}
        </Link>
      ),
    },
    { name: 'When', wide: true, cell: ({ trigger }) => <span className="text-ink-2">{trigger.slice(0, 200)}</span> },
    { name: 'For', wide: true, width: 'minmax(0,200px)', cell: givenTo },
    { name: 'Used', width: '64px', align: 'end', cell: ({ use_count: uses }) => <span className="mono">{uses}</span> },
    {
      name: 'Last used',
      wide: true,
      width: '112px',
      cell: ({ last_used_at: at }) => (at === null ? <span className="text-ink-3">never</span> : <Time at={at} />),
    },
    {
      name: 'State',
      width: '48px',
      cell: ({ enabled }) => <OnChip isOn={enabled} />,
    },
  ];
}
