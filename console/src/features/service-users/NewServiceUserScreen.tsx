import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Form, LongTextField, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { serviceUsersPath } from './queries.ts';

/** Creates a service user; its first key is made on its page. */
export function NewServiceUserScreen() {
  const { org } = useParams({ from: '/$org/service-users/new' });
  const navigate = useNavigate();
  const form = useApiForm({
    values: { name: '', description: '' },
    call: (body: { name: string; description: string }) => unwrap(apiOf(org).POST(serviceUsersPath, { body })),
    touches: [keys.lists(org, 'service-users')],
    done: ({ id }) => navigate({ to: '/$org/service-users/$id', params: { org, id } }),
  });
  return (
    <Page
      title="New service user"
      back={
        <Link to="/$org/service-users" params={{ org }} className={backLink} aria-label="Service users">
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="org:write">
        <Body>
          <Form of={form} action="Create the service user">
            <TextField name="name" label="Name" maxLength={100} />
            <LongTextField name="description" label="Description" rows={2} maxLength={2_000} />
          </Form>
        </Body>
      </Guarded>
    </Page>
  );
}
