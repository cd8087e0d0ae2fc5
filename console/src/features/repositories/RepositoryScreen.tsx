import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Tagged } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { backLink, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { FollowPolicyForm } from '../follow/FollowPolicyForm.tsx';
import { PolicyForm } from '../reviews/PolicyForm.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { Branches } from './Branches.tsx';
import { ConnectionLine } from './ConnectionLine.tsx';
import { PushPanel } from './PushPanel.tsx';
import { repositoryQuery, type Repository } from './queries.ts';
import { RepositoryMenu } from './RepositoryMenu.tsx';
import { RepositorySettings } from './RepositorySettings.tsx';
import { SearchTab } from './search/SearchTab.tsx';
import { WikiTab } from './wiki/WikiTab.tsx';

/** A repository: how to push to it, its branches, and how sessions on it are set up. */
export function RepositoryScreen() {
  const { org, id } = useParams({ from: '/$org/repositories/$id' });
  return (
    <Guarded org={org} scope="repos:read">
      <ReadRepository org={org} id={id} />
    </Guarded>
  );
}

function ReadRepository({ org, id }: { org: string; id: string }) {
  const query = useQuery(repositoryQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Repository" />;
  return <OneRepository org={org} repository={query.data} />;
}

function OneRepository({ org, repository }: { org: string; repository: Tagged<Repository> }) {
  const { repo } = repository;
  const { tab = 'branches', q = '', kind = 'text', page } = useSearch({ from: '/$org/repositories/$id' });
  const navigate = useNavigate({ from: '/$org/repositories/$id' });
  const [canWrite, canRun] = [useCan(org, 'repos:write'), useCan(org, 'run')];
  const canReview = useCan(org, 'reviews:read');
  return (
    <Page
      title={repo}
      back={
        <Link to="/$org/repositories" params={{ org }} aria-label="All repositories" className={backLink}>
          ‹
        </Link>
      }
      actions={
        <>
          {canWrite && <RepositoryMenu org={org} repository={repository} />}
          {canRun && (
            <Link to="/$org/sessions/new" params={{ org }} search={{ repo }} className={buttonClass('primary')}>
              New session
            </Link>
          )}
        </>
      }
    >
      <ConnectionLine org={org} repository={repository} />
      <Tabs
        label="Parts of the repository"
        value={tab}
        onChange={(next) => void navigate({ search: next === 'branches' ? {} : { tab: next }, replace: true })}
        tabs={[
          {
            id: 'branches',
            label: 'Branches',
            content: () => (
              <Branches
                org={org}
                repository={repository}
                search={q}
                setSearch={(next) => void navigate({ search: next === '' ? {} : { q: next }, replace: true })}
              />
            ),
          },
          {
            id: 'search',
            label: 'Search',
            content: () => (
              <SearchTab
                org={org}
                repository={repository}
                q={q}
                kind={kind}
                go={(search) =>
                  void navigate({
                    search: { tab: 'search', kind: search.kind, ...(search.q === '' ? {} : { q: search.q }) },
                    replace: true,
                  })
                }
              />
            ),
          },
          { id: 'wiki', label: 'Wiki', content: () => <WikiTab org={org} repository={repository} page={page} /> },
          { id: 'push', label: 'Clone and push', content: () => <PushPanel org={org} repository={repository} /> },
          ...(canReview
            ? [
                {
                  id: 'reviews' as const,
                  label: 'Reviews',
                  content: () => <PolicyForm org={org} repositoryId={repository.id} />,
                },
              ]
            : []),
          { id: 'follow', label: 'Follow', content: () => <FollowPolicyForm org={org} repository={repository} /> },
          {
            id: 'settings',
            label: 'Settings',
            content: () => <RepositorySettings org={org} repository={repository} />,
          },
        ]}
      />
    </Page>
  );
}
