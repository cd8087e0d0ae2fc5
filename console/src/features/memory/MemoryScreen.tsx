import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useSearch } from '../../lib/useSearch.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Filters, FilterSelect } from '../../ui/Filters.tsx';
import { Empty, Failed } from '../../ui/Notice.tsx';
import { Body, Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { RepositoryChoice } from '../repositories/RepositoryField.tsx';
import { repositoriesQuery } from '../repositories/queries.ts';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Generated } from './Generated.tsx';
import { MemoryCard } from './MemoryCard.tsx';
import { NewMemory } from './MemoryForms.tsx';
import { isProvider, memoryQuery, type Place } from './queries.ts';

/** What every session on a repository is told. */
export function MemoryScreen() {
  const { org } = useParams({ from: '/$org/memory' });
  const { repo = '', provider = 'local' } = useSearch({ from: '/$org/memory' });
  const navigate = useNavigate({ from: '/$org/memory' });
  const set = (place: Place) =>
    void navigate({
      search: {
        ...(place.repo === '' ? {} : { repo: place.repo }),
        ...(place.provider === 'local' ? {} : { provider: place.provider }),
      },
    });
  return (
    <Page title="Memory" {...(repo === '' ? {} : { tab: `Memory of ${repo}` })}>
      <Guarded org={org} scope="knowledge:read">
        <Filters>
          <RepositoryChoice
            org={org}
            label="Repository"
            value={repo}
            onChange={(next) => set({ repo: next, provider })}
          />
          <FilterSelect
            label="Git host"
            value={provider === 'local' ? undefined : provider}
            none="this one"
            options={[
              ['github', 'GitHub'],
              ['gitlab', 'GitLab'],
              ['pagure', 'Pagure'],
            ]}
            onChange={(next) => set({ repo, provider: isProvider(next) ? next : 'local' })}
          />
        </Filters>
        {repo === '' ? (
          <Unchosen org={org} />
        ) : (
          <Notes key={`${provider} ${repo}`} org={org} place={{ repo, provider }} />
        )}
      </Guarded>
    </Page>
  );
}

function Unchosen({ org }: { org: string }) {
  const [canRead, canCreate] = [useCan(org, 'repos:read'), useCan(org, 'repos:write')];
  const { data } = useInfiniteQuery({ ...repositoriesQuery(org, {}), enabled: canRead });
  const hasNone = data?.pages[0]?.items.length === 0;
  const create = hasNone && canCreate && (
    <Link to="/$org/repositories/new" params={{ org }} className={buttonClass('primary')}>
      New repository
    </Link>
  );
  return (
    <Empty action={create}>
      Memory belongs to a repository: every session on it gets these notes, whatever its prompt.{' '}
      {hasNone ? 'The organization has no repository yet.' : 'Choose one above.'}
    </Empty>
  );
}

function Notes({ org, place }: { org: string; place: Place }) {
  const query = useInfiniteQuery(memoryQuery(org, place));
  const [isNew, setNew] = useState(false);
  const canWrite = useCan(org, 'memory:write');
  if (query.data === undefined && query.isError)
    return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows rows={4} height={64} />;
  const items = query.data.pages.flatMap((page) => page.items);
  return (
    <Body>
      <p className="max-w-[72ch] text-ink-2">
        A change applies from the next session with a fresh workspace on; a session that runs keeps what it got.
      </p>
      <Needs org={org} scope="memory:write" what="Changing memory" />
      {canWrite &&
        (isNew ? (
          <NewMemory org={org} place={place} close={() => setNew(false)} />
        ) : (
          <p>
            <Button look="primary" onClick={() => setNew(true)}>
              New note
            </Button>
          </p>
        ))}
      {items.length === 0 ? (
        <p className="text-read text-ink-2">This repository has no notes.</p>
      ) : (
        <ul aria-label="Memory notes" className="flex flex-col gap-4">
          {items.map((item) => (
            <MemoryCard key={item.memory_id} org={org} item={item} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <p>
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            Show more
          </Button>
        </p>
      )}
      <Generated org={org} place={place} />
    </Body>
  );
}
