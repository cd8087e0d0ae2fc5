import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useSearch } from '../../../lib/useSearch.ts';
import { cx } from '../../../ui/cx.ts';
import { Empty } from '../../../ui/Notice.tsx';
import { buttonClass } from '../../../ui/Button.tsx';
import { Page } from '../../../ui/Page.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { useCan } from '../../shell/useCan.ts';
import { Board } from '../board/Board.tsx';
import { isNone } from '../board/columns.ts';
import { countsQuery } from '../queries.ts';
import { FilterBar } from './FilterBar.tsx';
import { SavedViews } from './SavedViews.tsx';
import { filtersOf, isOnBoard, searchOfView, type Filters, type ListSearch } from './filters.ts';
import { viewsQuery } from './views.ts';

const SessionsTable = lazy(async () => ({ default: (await import('./SessionsTable.tsx')).SessionsTable }));
const Composer = lazy(async () => ({ default: (await import('../composer/Composer.tsx')).Composer }));

/** The sessions that fit the filters of the address: as a board, or as a table. */
export function SessionsScreen() {
  const { org } = useParams({ from: '/$org/sessions' });
  const search = useSearch({ from: '/$org/sessions' });
  const navigate = useNavigate({ from: '/$org/sessions' });
  useSavedView(org, search);
  const filters = filtersOf(search);
  const isBoard = isOnBoard(search);
  const canRun = useCan(org, 'run');
  const { data: counts } = useQuery(countsQuery(org, filters));
  const isFiltered = Object.keys(filters).length > 0;
  const change = (next: Filters) => {
    const { saved } = search;
    const layout = isBoard ? {} : { view: 'table' as const };
    void navigate({ search: { ...layout, ...(saved === undefined ? {} : { saved }), ...next }, replace: true });
  };
  const none = <NoSessions org={org} canRun={canRun} />;
  const isEmpty = isBoard && !isFiltered && counts !== undefined && isNone(counts);
  return (
    <Page
      title="Sessions"
      actions={
        <>
          <SavedViews org={org} search={search} />
          <Layouts org={org} search={search} isBoard={isBoard} />
          {canRun && (
            <Link to="/$org/sessions/new" params={{ org }} className={buttonClass('primary')}>
              New session
            </Link>
          )}
        </>
      }
    >
      <FilterBar org={org} filters={filters} counts={counts} isBoard={isBoard} onChange={change} />
      {isEmpty && none}
      {isBoard && !isEmpty && <Board org={org} filters={filters} counts={counts} canRun={canRun} />}
      {!isBoard && (
        <Suspense fallback={<SkeletonRows rows={8} height={40} />}>
          <SessionsTable
            org={org}
            filters={filters}
            canRun={canRun}
            empty={none}
            clear={isFiltered ? () => void navigate({ search: { view: 'table' } }) : undefined}
          />
        </Suspense>
      )}
    </Page>
  );
}

/** Completes an address that names a view and nothing else. */
function useSavedView(org: string, search: ListSearch): void {
  const { saved, ...others } = search;
  const isAlone = saved !== undefined && Object.keys(others).length === 0;
  const { data: views } = useQuery({ ...viewsQuery(org), enabled: isAlone });
  const navigate = useNavigate({ from: '/$org/sessions' });
  const query = isAlone ? views?.find(({ id }) => id === saved)?.query : undefined;
  useEffect(() => {
    if (saved !== undefined && query !== undefined && Object.keys(query).length > 0)
      void navigate({ search: searchOfView(saved, query), replace: true });
  }, [navigate, saved, query]);
}

function Layouts({ org, search, isBoard }: { org: string; search: ListSearch; isBoard: boolean }) {
  const { view: _view, ...shared } = search;
  const { status: _status, attention: _attention, archived: _archived, sort: _sort, ...onBoard } = shared;
  const look = (isOn: boolean) =>
    cx(
      'flex h-8 items-center px-3 pointer-coarse:h-11',
      isOn ? 'bg-accent-soft font-medium' : 'bg-surface text-ink-2 hover:bg-sunken',
    );
  return (
    <nav aria-label="Layout" className="flex overflow-hidden rounded-control border border-line-strong">
      <Link
        to="/$org/sessions"
        params={{ org }}
        search={onBoard}
        aria-current={isBoard ? 'page' : undefined}
        className={look(isBoard)}
      >
        Board
      </Link>
      <Link
        to="/$org/sessions"
        params={{ org }}
        search={{ ...shared, view: 'table' }}
        aria-current={isBoard ? undefined : 'page'}
        className={cx(look(!isBoard), 'border-l border-line-strong')}
      >
        Table
      </Link>
    </nav>
  );
}

function NoSessions({ org, canRun }: { org: string; canRun: boolean }) {
  const { data: archived } = useQuery(countsQuery(org, { archived: 'true' }));
  if (archived === undefined) return null;
  return (
    <>
      {isNone(archived) ? (
        <Empty
          action={
            <Link to="/$org/welcome" params={{ org }} className={buttonClass()}>
              First steps
            </Link>
          }
        >
          A session is one run of an agent against a repository. There are none yet.
        </Empty>
      ) : (
        <Empty
          action={
            <Link to="/$org/sessions" params={{ org }} search={{ archived: 'true' }} className={buttonClass()}>
              Show archived sessions
            </Link>
          }
        >
          All sessions are archived.
        </Empty>
      )}
      {canRun && (
        <Suspense>
          <Composer org={org} given={{}} />
        </Suspense>
      )}
    </>
  );
}
