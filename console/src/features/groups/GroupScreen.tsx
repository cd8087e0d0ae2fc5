import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { ApiError, apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Page, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { useCan } from '../shell/useCan.ts';
import { bodyOf, GroupFields, type GroupValues } from './GroupFields.tsx';
import { GroupMembers } from './GroupMembers.tsx';
import { GroupToday } from './GroupToday.tsx';
import { groupQuery, type Group } from './queries.ts';

const path = '/v3/organizations/{orgId}/groups/{id}';

/** A group: its use today, its members and its limits. */
export function GroupScreen() {
  const { org, id } = useParams({ from: '/$org/groups/$id' });
  const group = useQuery(groupQuery(org, id));
  const canChange = useCan(org, 'org:write');
  const remove = useRemoval(org, group.data);
  if (group.error instanceof ApiError && group.error.status === 404) return <NotHere />;
  return (
    <Guarded org={org} scope="org:read">
      <Page
        title={group.data?.name ?? 'Group'}
        back={
          <Link to="/$org/groups" params={{ org }} className={backLink} aria-label="Groups">
            ‹
          </Link>
        }
        actions={
          <Menu
            label="More actions"
            items={[canChange && { label: 'Delete …', danger: true, select: () => void remove() }]}
          />
        }
      >
        {group.isPending && <SkeletonRows rows={8} height={32} />}
        {group.isError && <Failed error={group.error} retry={() => void group.refetch()} />}
        {group.isSuccess && (
          <Body>
            {group.data.description !== '' && <p className="text-read text-ink-2">{group.data.description}</p>}
            <GroupToday org={org} id={id} />
            <GroupMembers org={org} id={id} />
            {canChange ? (
              <Section title="Name and limits">
                <GroupForm org={org} group={group.data} />
              </Section>
            ) : (
              <Needs org={org} scope="org:write" what="Changing this" />
            )}
          </Body>
        )}
      </Page>
    </Guarded>
  );
}

function useRemoval(org: string, group: Group | undefined) {
  const navigate = useNavigate();
  const confirm = useConfirm();
  const remove = useAction({
    call: (id: string) => unwrap(apiOf(org).DELETE(path, { params: { path: { id } } })),
    touches: [keys.lists(org, 'groups')],
    says: 'The group was deleted.',
    leaves: true,
    done: () => navigate({ to: '/$org/groups', params: { org } }),
  });
  return async () => {
    if (group === undefined) return;
    const text = 'Its limits hold no longer. Its members stay in the organization, and their sessions continue.';
    if (await confirm({ title: `Delete ${group.name}?`, text, action: 'Delete' })) remove.mutate(group.id);
  };
}

function GroupForm({ org, group }: { org: string; group: Tagged<Group> }) {
  const { id, name, description, limits, etag } = group;
  const form = useApiForm({
    values: { name, description, limits },
    etag,
    call: (values: GroupValues, header) =>
      unwrap(apiOf(org).PATCH(path, { params: { path: { id }, header }, body: bodyOf(values) })),
    touches: [keys.one(org, 'groups', id), keys.lists(org, 'groups')],
    says: 'Saved.',
  });
  return (
    <Form of={form} action="Save">
      <GroupFields />
    </Form>
  );
}
