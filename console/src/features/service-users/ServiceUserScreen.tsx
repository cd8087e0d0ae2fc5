import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Facts, Page, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { KeyList } from '../keys/KeyList.tsx';
import { serviceUserKeys } from '../keys/owner.ts';
import { OwnerForm } from '../keys/OwnerForm.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { useCan } from '../shell/useCan.ts';
import { serviceUserQuery, serviceUsersPath, type ServiceUser } from './queries.ts';

/** A service user with its keys. */
export function ServiceUserScreen() {
  const { org, id } = useParams({ from: '/$org/service-users/$id' });
  const query = useQuery(serviceUserQuery(org, id));
  const canWrite = useCan(org, 'org:write');
  const disable = useDisabling(org, query.data);
  if (isGone(query.error)) return <NotHere />;
  const canChange = canWrite && query.data?.disabled_at === null;
  const newKey = canChange && (
    <Link to="/$org/service-users/$id/keys/new" params={{ org, id }} className={buttonClass('primary')}>
      New key
    </Link>
  );
  return (
    <Guarded org={org} scope="org:read">
      <Page
        title={query.data?.name ?? 'Service user'}
        back={
          <Link to="/$org/service-users" params={{ org }} className={backLink} aria-label="Service users">
            ‹
          </Link>
        }
        actions={
          <>
            {newKey}
            <Menu
              label="More actions"
              items={[canChange && { label: 'Disable …', danger: true, select: () => void disable() }]}
            />
          </>
        }
      >
        {query.isPending && <SkeletonRows rows={6} height={32} />}
        {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
        {query.isSuccess && (
          <>
            <KeyList owner={serviceUserKeys(org, id)} create={newKey} />
            <About org={org} user={query.data} canChange={canChange} />
          </>
        )}
      </Page>
    </Guarded>
  );
}

function useDisabling(org: string, user: ServiceUser | undefined) {
  const confirm = useConfirm();
  const disable = useAction({
    call: (id: string) => unwrap(apiOf(org).DELETE(`${serviceUsersPath}/{id}`, { params: { path: { id } } })),
    touches: [keys.all(org, 'service-users'), keys.lists(org, 'keys')],
    says: 'The service user is disabled.',
  });
  return async () => {
    if (user === undefined) return;
    const text =
      'All its keys end at once and its own secrets are deleted. It stays readable, but cannot be enabled again.';
    const title = `Disable ${user.name}?`;
    if (await confirm({ title, text, action: 'Disable', typed: user.name })) disable.mutate(user.id);
  };
}

function About({ org, user, canChange }: { org: string; user: Tagged<ServiceUser>; canChange: boolean }) {
  const { disabled_at: disabled } = user;
  return (
    <Body>
      <Section title="About">
        <Facts
          facts={[
            ['Description', canChange || user.description === '' ? undefined : user.description],
            ['Created', <Time key="at" at={user.created_at} />],
            [
              'State',
              disabled === null ? (
                <Chip key="on" tone="ok">
                  Active
                </Chip>
              ) : (
                <Chip key="off">Disabled</Chip>
              ),
            ],
            ['Disabled', disabled === null ? undefined : <Time key="disabled" at={disabled} />],
            ['Id', <code key="id">{user.id}</code>],
          ]}
        />
        <Needs org={org} scope="org:write" what="Changing this" />
        {canChange && (
          <OwnerForm
            action="Save"
            values={{ name: user.name, description: user.description }}
            etag={user.etag}
            call={(body, header) => {
              const params = { path: { id: user.id }, header };
              return unwrap(apiOf(org).PATCH(`${serviceUsersPath}/{id}`, { params, body }));
            }}
            touches={[keys.all(org, 'service-users')]}
            says="Saved."
          />
        )}
      </Section>
    </Body>
  );
}
