import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { bodyOf, GroupFields, noLimits, type GroupValues } from './GroupFields.tsx';

/** Creates a group; its members are chosen on its page. */
export function NewGroupScreen() {
  const { org } = useParams({ from: '/$org/groups/new' });
  const navigate = useNavigate();
  const form = useApiForm({
    values: noLimits,
    call: (values: GroupValues) =>
      unwrap(apiOf(org).POST('/v3/organizations/{orgId}/groups', { body: bodyOf(values) })),
    touches: [keys.lists(org, 'groups')],
    done: ({ id }) => navigate({ to: '/$org/groups/$id', params: { org, id } }),
  });
  return (
    <Page
      title="New group"
      back={
        <Link to="/$org/groups" params={{ org }} className={backLink} aria-label="Groups">
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="org:write">
        <Body>
          <Form of={form} action="Create the group">
            <GroupFields />
          </Form>
        </Body>
      </Guarded>
    </Page>
  );
}
