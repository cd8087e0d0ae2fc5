import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { useActions } from '../../lib/actions.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Invites } from './Invites.tsx';
import { People } from './People.tsx';
import { membersQuery } from './queries.ts';

/** The people of an organization, and who was invited. */
export function MembersScreen() {
  const { org } = useParams({ from: '/$org/members' });
  return (
    <Guarded org={org} scope="org:read">
      <Members org={org} />
    </Guarded>
  );
}

function Members({ org }: { org: string }) {
  const { tab = 'people', ...filters } = useSearch({ from: '/$org/members' });
  const navigate = useNavigate({ from: '/$org/members' });
  const canChange = useCan(org, 'org:write');
  const invite = () => void navigate({ to: '/$org/members/invite', params: { org } });
  useActions('Members', canChange ? [{ label: 'Invite', key: 'n', act: invite }] : []);
  const { data } = useInfiniteQuery(membersQuery(org, filters));
  return (
    <Page
      title="Members"
      total={data?.pages[0]?.total}
      actions={
        canChange && (
          <Link to="/$org/members/invite" params={{ org }} className={buttonClass('primary')}>
            Invite
          </Link>
        )
      }
    >
      <Tabs
        label="Members"
        value={tab === 'invites' ? 'invites' : 'people'}
        onChange={(id) => void navigate({ search: id === 'people' ? {} : { tab: id }, replace: true })}
        tabs={[
          {
            id: 'people',
            label: 'People',
            content: () => (
              <People org={org} filters={filters} onFilter={(search) => void navigate({ search, replace: true })} />
            ),
          },
          { id: 'invites', label: 'Invitations', content: () => <Invites org={org} /> },
        ]}
      />
    </Page>
  );
}
