import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError, apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Empty, Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { AppSection } from './AppSection.tsx';
import { appsQuery, connectionsPath } from './queries.ts';

const from = '/$org/git-connections/app' as const;

/** Where GitHub leads back to: after it created an App, and after somebody installed it. */
export function AppScreen() {
  const { org } = useParams({ from });
  const { code, state } = useSearch({ from });
  const isCreated = code !== undefined && state !== undefined;
  return (
    <Page
      title="GitHub App"
      back={
        <Link to="/$org/git-connections" params={{ org }} aria-label="All git connections" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="repos:write">
        {isCreated ? <Exchange org={org} code={code} state={state} /> : <Apps org={org} />}
      </Guarded>
    </Page>
  );
}

/** Exchanges the code of GitHub for the App. The code works once, for who began: until then, also after a reload. */
function Exchange({ org, code, state }: { org: string; code: string; state: string }) {
  const navigate = useNavigate({ from });
  const { mutate, error } = useAction({
    call: () => unwrap(apiOf(org).POST(`${connectionsPath}/apps`, { body: { code, state } })),
    touches: [keys.lists(org, 'git-apps')],
    errors: 'here',
    says: ({ name }) => `${name} is created.`,
    done: ({ id }) => navigate({ search: { app: id }, replace: true }),
  });
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    mutate();
  }, [mutate]);
  if (error === null) return <p className="px-4 py-12 text-read text-ink-2 sm:px-6">Fetching the App’s key …</p>;
  const isOver = error instanceof ApiError && error.status === 400;
  const begin = () => void navigate({ to: '/$org/git-connections/app/new', params: { org } });
  return (
    <Body>
      <Failed error={error} retry={isOver ? begin : () => mutate()} />
      <p>
        <Link to="/$org/git-connections/app" params={{ org }} className={buttonClass()}>
          Apps created here
        </Link>
      </p>
    </Body>
  );
}

/** The App that the address names, or all of the organization. */
function Apps({ org }: { org: string }) {
  const { app: wanted, installation_id: installation, setup_action: setup } = useSearch({ from });
  const query = useInfiniteQuery(appsQuery(org));
  if (query.isPending) return <SkeletonRows rows={4} height={40} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const apps = query.data.pages.flatMap(({ items }) => items);
  const shown = wanted === undefined ? apps : apps.filter(({ id }) => id === wanted);
  if (wanted !== undefined && shown.length === 0) return <NotHere />;
  if (shown.length === 0)
    return (
      <Empty
        action={
          <Link to="/$org/git-connections/app/new" params={{ org }} reloadDocument className={buttonClass('primary')}>
            Create a GitHub App
          </Link>
        }
      >
        A GitHub App lets sessions work at GitHub as themselves, on the repositories that you select.
      </Empty>
    );
  return (
    <Body>
      {setup === 'request' && (
        <p className="max-w-[72ch] border-l-2 border-wait bg-wait-soft px-3 py-2">
          An owner of the organization at GitHub must approve the installation. Open this page again once that is done,
          and install the App.
        </p>
      )}
      {shown.map((app) => (
        <AppSection key={app.id} org={org} app={app} installation={wanted === undefined ? undefined : installation} />
      ))}
    </Body>
  );
}
