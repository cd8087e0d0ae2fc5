import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Facts, Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { KeyList } from '../keys/KeyList.tsx';
import { appKeys } from '../keys/owner.ts';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { useCan } from '../shell/useCan.ts';
import { appQuery, type App } from './queries.ts';

/** An app with its keys. */
export function AppScreen() {
  const { org, id } = useParams({ from: '/$org/apps/$id' });
  const query = useQuery(appQuery(org, id));
  const canChange = useCan(org, 'org:write');
  const remove = useRemoval(org);
  const app = query.data;
  if (app === null) return <NotHere />;
  const newKey = canChange && (
    <Link to="/$org/apps/$id/keys/new" params={{ org, id }} className={buttonClass('primary')}>
      New key
    </Link>
  );
  return (
    <Guarded org={org} scope="org:read">
      <Page
        title={app?.name ?? 'App'}
        back={
          <Link to="/$org/apps" params={{ org }} className={backLink} aria-label="Apps">
            ‹
          </Link>
        }
        actions={
          <>
            {newKey}
            <Menu
              label="More actions"
              items={[
                canChange && app !== undefined && { label: 'Delete …', danger: true, select: () => void remove(app) },
              ]}
            />
          </>
        }
      >
        {query.isPending && <SkeletonRows rows={6} height={32} />}
        {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
        {app !== undefined && (
          <>
            <KeyList owner={appKeys(org, id)} create={newKey} />
            <Body>
              <Facts
                facts={[
                  ['Description', app.description === '' ? undefined : app.description],
                  ['Created', <Time key="at" at={app.created_at} />],
                  ['Id', <code key="id">{app.id}</code>],
                ]}
              />
              <Needs org={org} scope="org:write" what="Changing this" />
            </Body>
          </>
        )}
      </Page>
    </Guarded>
  );
}

function useRemoval(org: string) {
  const navigate = useNavigate();
  const confirm = useConfirm();
  const remove = useAction({
    call: ({ id }: App) => unwrap(apiOf(org).DELETE('/apps/{app_id}', { params: { path: { app_id: id } } })),
    touches: [keys.lists(org, 'apps')],
    says: (_none, { name }) => `${name} was deleted.`,
    leaves: true,
    done: () => navigate({ to: '/$org/apps', params: { org } }),
  });
  return async (app: App) => {
    const text = 'Its keys end at once and its own secrets are deleted. Sessions that it started continue.';
    if (await confirm({ title: `Delete ${app.name}?`, text, action: 'Delete', typed: app.name })) remove.mutate(app);
  };
}
